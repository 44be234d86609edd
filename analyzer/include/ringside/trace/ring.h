// SPDX-License-Identifier: Apache-2.0
// The ring file: how a recording thread leaves records for the drain thread, and for recovery after SIGKILL.
// Layout only; no code beyond constants and plain structs. Written by the collector, read by
// trace/ring_decoder.
//
// A ring is a file mapped MAP_SHARED by one writing thread: one RingHeader (a page), then `slotCount` slots
// of 32 bytes. A record takes one to three consecutive slots (index modulo slotCount; records do not wrap:
// the writer fills the end with a Pad record). The commit word, the first 8 bytes of a record, is stored last
// with release order and carries the low 32 bits of (slot index + 1), so that a reader tells a finished
// record from what an earlier lap left. Times are clock ticks; Clock records convert them. Native byte order:
// rings never leave their host.
//
// Its name is PROCESS.NUMBER.ring, PROCESS being HOST-PID. Until its header says whose it is, it has none, or
// ".new" follows where the file system cannot do that (tmpfs can): a process that is killed meanwhile leaves
// it so, without a record in it.
#pragma once
#include "trace/vocabulary/series_kind.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ringside::trace {

inline constexpr std::uint64_t kRingMagic = 0x31474E4952535252ULL; // "RRSRING1"
inline constexpr std::uint32_t kRingVersion = 1;
inline constexpr std::size_t kRingHeaderBytes = 4096;
inline constexpr std::size_t kSlotBytes = 32;
inline constexpr const char* kRingExtension = ".ring";
inline constexpr const char* kUnfinishedExtension = ".new"; ///< after that of a ring

enum class ClockKind : std::uint32_t { Tsc = 1, Monotonic = 2 };

/// One ring a process ("definitions") holds strings, communicators, clock; the others belong to one thread
/// each.
enum class RingRole : std::uint32_t { Definitions = 1, Thread = 2 };

/// What the thread is inside right now. `api` is 0 when it is in no call. Written before and cleared after
/// each call; a reader in another process sees a consistent pair because `api` is stored last (release) and
/// cleared first.
struct InFlight {
    std::atomic<std::uint32_t> api; ///< string id of the function's name, 0: none
    std::uint32_t communicator;     ///< communicator id, 0: none
    std::uint64_t startTicks;
    std::uint64_t count; ///< elements; with kCountIsBytes set, bytes
    std::uint64_t sequence;
};
static_assert(sizeof(InFlight) == 32);
inline constexpr std::uint64_t kCountIsBytes = std::uint64_t{1} << 63;

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): what two threads write lies on two cache lines
struct RingHeader {
    std::uint64_t magic;
    std::uint32_t version;
    std::uint32_t headerBytes; ///< kRingHeaderBytes
    std::uint64_t slotCount;   ///< a power of two
    RingRole role;
    ClockKind clock;
    std::uint32_t pid;
    std::uint32_t tid;
    std::uint64_t processStartTicks; ///< /proc/PID/stat field 22: tells a reused pid
    std::uint64_t createdMonotonicNs;
    char host[64];
    char processName[64];                        ///< base name of the database: "HOST-PID"
    std::uint32_t ringId;                        ///< unique in the process, 1 upwards
    std::uint32_t threadId;                      ///< row id in the thread table, 0 for Definitions
    alignas(64) std::atomic<std::uint64_t> head; ///< next slot index; written by the owner, for its reader's
                                                 ///< convenience
    std::atomic<std::uint64_t> dropped;          ///< records that this thread could not place
    std::atomic<std::int64_t> stoppedNs; ///< CLOCK_MONOTONIC when the trace could not be written any more, 0:
                                         ///< it could (definitions ring only)
    std::atomic<std::uint32_t>
        toldEnd; ///< what the process said when it ended itself (definitions ring only)
    alignas(64) std::atomic<std::uint64_t> tail; ///< slots before this index are committed to the database
    alignas(64) InFlight inFlight[4]; ///< [0] the outermost call; deeper calls are not recorded yet
    char bootId[40];      ///< of the machine's run: only in it can the clock still be read; empty: not known
    char stopReason[120]; ///< of stoppedNs, such as "the disk is full"; empty: not known
};
static_assert(sizeof(RingHeader) <= kRingHeaderBytes);

// Values of toldEnd; 0: it said nothing, as a process that is killed or crashes.
inline constexpr std::uint32_t kToldExit = 0x100; ///< with the exit code in the low 8 bits
inline constexpr std::uint32_t kToldExec = 0x200; ///< it became another program

[[nodiscard]] constexpr std::uint32_t toldExit(int exitCode)
{
    constexpr std::uint32_t kSeenByParents = 0xFF;
    return kToldExit | (static_cast<std::uint32_t>(exitCode) & kSeenByParents);
}

enum class RecordKind : std::uint8_t {
    None = 0,
    Pad = 1,           ///< skip `slots` slots
    Call = 2,          ///< CallRecord, 1 slot: an API call of which no more than the stream is of interest
    Memory = 3,        ///< MemoryRecord, 2 slots: allocation, copy or set with a size, or on a stream > 65535
    Collective = 4,    ///< CollectiveRecord, 3 slots: one NCCL data call
    Group = 5,         ///< GroupRecord, 2 slots: one outermost ncclGroupStart..End
    Range = 6,         ///< RangeRecord, 2 slots: an NVTX range or mark
    Step = 7,          ///< StepRecord, 2 slots: an explicit step mark
    Sample = 8,        ///< SampleRecord, 1 slot: one value of a series
    NcclOperation = 9, ///< NcclOperationRecord, 3 slots: what NCCL made of a call
    ChannelTime = 10,  ///< ChannelTimeRecord, 2 slots: one channel's part of an operation on the GPU
    ProxyStep = 11,    ///< ProxyStepRecord, 3 slots: one message of NCCL's proxy thread
    EventTime = 12,    ///< EventTimeRecord, 2 slots: when a call's work ran, between two CUDA events
    GraphLaunch = 13,  ///< GraphLaunchRecord, 3 slots: what a launched CUDA graph holds of one communicator
    // Definitions ring only:
    String = 16, ///< StringRecord, 3 slots: up to 72 bytes of a text; longer texts take several in a row
    Communicator = 17, ///< CommunicatorRecord, 3 slots
    Stream = 18,       ///< StreamRecord, 1 slot
    Clock = 19,        ///< ClockRecord, 1 slot
    Thread = 20,       ///< ThreadRecord, 1 slot
    Series = 21,       ///< SeriesRecord, 3 slots
    Window = 22,       ///< WindowRecord, 3 slots
};

/// First 8 bytes of every record.
struct CommitWord {
    std::uint32_t sequence; ///< low 32 bits of (index of this slot + 1)
    RecordKind kind;
    std::uint8_t slots;   ///< 1 to 3 (Pad: up to 3)
    std::uint16_t stream; ///< Call: stream id, 0: default stream or none; of other kinds: 0
};
static_assert(sizeof(CommitWord) == 8);

struct CallRecord {
    CommitWord commit;
    std::uint64_t startTicks;
    std::uint64_t endTicks;
    std::uint32_t api;   ///< string id of the function's name
    std::int32_t result; ///< what the real function returned, kUnknownResult: no wrapper saw it
};
static_assert(sizeof(CallRecord) == kSlotBytes);
inline constexpr std::uint32_t kLastStreamOfCall = 0xFFFF; ///< there is no room for larger ids
inline constexpr std::int32_t kUnknownResult = INT32_MIN;

struct MemoryRecord {
    CallRecord call;
    std::uint64_t bytes;
    std::uint32_t stream;   ///< stream id, 0: default stream or none
    std::uint32_t copyKind; ///< cudaMemcpyKind, or kNoCopyKind
    std::uint64_t reserved[2];
};
static_assert(sizeof(MemoryRecord) == 2 * kSlotBytes);
inline constexpr std::uint32_t kNoCopyKind = 0xFFFFFFFF;

struct CollectiveRecord {
    CallRecord call;
    std::uint64_t
        callId; ///< unique in the process, 1 upwards; also the external correlation id when not grouped
    std::uint64_t sequence;     ///< of this communicator, 0 upwards, counted by us over all data calls
    std::uint64_t count;        ///< elements, as the caller gave them; bytes of an unknown data type
    std::uint64_t groupId;      ///< callId of the group it was issued in, 0: none
    std::uint32_t communicator; ///< communicator id
    std::uint32_t stream;       ///< stream id
    std::int32_t peer;          ///< root of a rooted collective, peer of send/recv, else -1
    std::uint16_t datatype;     ///< ncclDataType_t, or kUnknownDatatype
    std::uint16_t reduction;    ///< ncclRedOp_t, or kNoReduction
    std::uint32_t graph;        ///< id of the CUDA graph it was captured into, 0: it ran
    std::uint32_t reserved[3];
};
static_assert(sizeof(CollectiveRecord) == 3 * kSlotBytes);
inline constexpr std::uint16_t kUnknownDatatype = 0xFFFF;
inline constexpr std::uint16_t kNoReduction = 0xFFFF;

/// One a communicator whose calls the graph holds, with the same launch id; one without a communicator for a
/// graph that holds none. The launch itself is a CallRecord like any other call.
struct GraphLaunchRecord {
    CallRecord call;
    std::uint64_t launchId;     ///< from the same counter as callId; the external correlation id of its work
    std::uint64_t sequence;     ///< of the first of these calls, in their communicator's count
    std::uint64_t calls;        ///< data calls of this communicator in the graph
    std::uint32_t graph;        ///< id of the graph, 0: not known how it came about
    std::uint32_t communicator; ///< communicator id, 0: no calls
    std::uint32_t stream;       ///< stream id
    std::uint32_t reserved[7];
};
static_assert(sizeof(GraphLaunchRecord) == 3 * kSlotBytes);

struct GroupRecord {
    CallRecord call;       ///< from the outermost ncclGroupStart's begin to the outermost ncclGroupEnd's end
    std::uint64_t groupId; ///< from the same counter as callId; the external correlation id of its launches
    std::uint64_t calls;   ///< data calls inside
    std::uint64_t endCallStartTicks; ///< begin of the ncclGroupEnd that launched
    std::uint64_t reserved;
};
static_assert(sizeof(GroupRecord) == 2 * kSlotBytes);

enum class RangeFlavour : std::uint16_t { PushPop = 1, StartEnd = 2, Mark = 3 };

struct RangeRecord {
    CommitWord commit;
    std::uint64_t startTicks;
    std::uint64_t endTicks; ///< equals startTicks for a mark
    std::uint32_t name;     ///< string id
    std::uint32_t domain;   ///< string id, 0: default domain
    std::uint32_t category;
    std::uint16_t depth; ///< of push/pop nesting on its thread and domain, 0: outermost
    RangeFlavour flavour;
    std::uint64_t reserved[3];
};
static_assert(sizeof(RangeRecord) == 2 * kSlotBytes);

struct StepRecord {
    CommitWord commit;
    std::uint64_t startTicks;
    std::uint64_t endTicks;
    std::int64_t number;
    std::uint64_t reserved[4];
};
static_assert(sizeof(StepRecord) == 2 * kSlotBytes);

struct NcclOperationRecord {
    CommitWord commit;
    std::uint64_t operation;  ///< unique in the process, 1 upwards
    std::uint64_t callId;     ///< CollectiveRecord::callId, 0: not known
    std::uint64_t startTicks; ///< of enqueueing
    std::uint64_t endTicks;
    std::uint64_t launchStartTicks; ///< of the launch that holds it, 0: not seen
    std::uint64_t launchEndTicks;
    std::uint64_t ncclSequence; ///< NCCL's own, of this communicator and function; kUnknownNumber: none
    std::uint64_t bytes;        ///< kUnknownNumber where the data type is unknown
    std::uint32_t communicator; ///< communicator id, 0: not known
    std::uint32_t function;     ///< string ids of NCCL's words; 0: none
    std::uint32_t algorithm;
    std::uint32_t protocol;
    std::int32_t peer;     ///< root or peer, -1: none
    std::uint8_t channels; ///< 0: not known
    std::uint8_t reserved[3];
};
static_assert(sizeof(NcclOperationRecord) == 3 * kSlotBytes);
inline constexpr std::uint64_t kUnknownNumber = ~std::uint64_t{0};

struct ChannelTimeRecord {
    CommitWord commit;
    std::uint64_t operation;     ///< NcclOperationRecord::operation
    std::uint64_t deviceStartNs; ///< the GPU's globaltimer
    std::uint64_t deviceEndNs;
    std::uint64_t startSeenTicks; ///< when NCCL's proxy thread told us: after it had happened
    std::uint64_t endSeenTicks;
    std::uint64_t notBeforeTicks; ///< begin of the launch: before it could happen; 0: not known
    std::int32_t device;          ///< CUDA ordinal, -1: not known
    std::uint16_t channel;
    std::uint16_t reserved;
};
static_assert(sizeof(ChannelTimeRecord) == 2 * kSlotBytes);

/// Between the CUDA events that were recorded before and after a call on one of its streams.
struct EventTimeRecord {
    CommitWord commit;
    std::uint64_t callId;        ///< CollectiveRecord::callId or GroupRecord::groupId
    std::uint64_t anchorTicks;   ///< when the device's anchor event happened
    std::int64_t startNs;        ///< after the anchor, as the device counts; negative: before it
    std::int64_t endNs;          ///< likewise
    std::int32_t device;         ///< CUDA ordinal
    std::uint32_t stream;        ///< stream id
    std::uint32_t uncertaintyNs; ///< of both times, either way
    std::uint32_t reserved[3];
};
static_assert(sizeof(EventTimeRecord) == 2 * kSlotBytes);

/// Times at which the message's waits began; 0: it did not come to that, or this NCCL does not tell.
struct ProxyStepRecord {
    CommitWord commit;
    std::uint64_t operation; ///< NcclOperationRecord::operation, 0: not known
    std::uint64_t startTicks;
    std::uint64_t endTicks;
    std::uint64_t gpuWaitTicks;     ///< sending: for the GPU's data; receiving: for the GPU to take them
    std::uint64_t peerWaitTicks;    ///< sending: for the receiver to be ready
    std::uint64_t networkWaitTicks; ///< for the network; receiving: and for the sender
    std::uint64_t flushWaitTicks;   ///< receiving: for the data to be visible to the GPU
    std::uint64_t bytes;            ///< kUnknownNumber: not told
    std::int32_t peer;
    std::int32_t step;
    std::uint16_t channel;
    std::uint8_t isSend;
    std::uint8_t reserved[13];
};
static_assert(sizeof(ProxyStepRecord) == 3 * kSlotBytes);

struct SampleRecord {
    CommitWord commit;
    std::uint64_t ticks; ///< the middle of the reading
    std::int64_t value;  ///< in the series' unit; a 64-bit counter modulo 2^64
    std::uint32_t series;
    std::uint32_t reserved;
};
static_assert(sizeof(SampleRecord) == kSlotBytes);

struct StringRecord {
    CommitWord commit;
    std::uint32_t id;         ///< 1 upwards, unique in the process
    std::uint32_t totalBytes; ///< of the whole text; cut at 4096
    std::uint32_t offset;     ///< of this part
    std::uint32_t partBytes;
    char text[72];
};
static_assert(sizeof(StringRecord) == 3 * kSlotBytes);

struct CommunicatorRecord {
    CommitWord commit;
    std::uint32_t id;     ///< 1 upwards, unique in the process
    std::uint32_t parent; ///< id of the communicator it was split from, 0: none
    std::uint64_t hash;   ///< our own: same on all ranks of the communicator
    std::int32_t size;    ///< ranks in it
    std::int32_t rank;    ///< ours
    std::int32_t device;  ///< CUDA device ordinal
    std::uint32_t name;   ///< string id, 0: none
    std::uint64_t createdTicks;
    std::uint64_t handle;   ///< ncclComm_t, to tell reuse
    std::uint64_t ncclHash; ///< NCCL's own, 0: not known (yet: a repeated record replaces)
    std::uint64_t reserved[4];
};
static_assert(sizeof(CommunicatorRecord) == 3 * kSlotBytes);

struct StreamRecord {
    CommitWord commit;
    std::uint32_t id; ///< 1 upwards, unique in the process
    std::int32_t device;
    std::uint64_t handle; ///< cudaStream_t
    std::uint64_t reserved;
};
static_assert(sizeof(StreamRecord) == kSlotBytes);

/// One reading of all clocks. Between two readings ticks convert by linear interpolation; before the first
/// and after the last by the slope of the nearest pair. With ClockKind::Monotonic ticks are already
/// CLOCK_MONOTONIC ns.
struct ClockRecord {
    CommitWord commit;
    std::uint64_t ticks;
    std::int64_t monotonicNs;
    std::int64_t realtimeNs;
};
static_assert(sizeof(ClockRecord) == kSlotBytes);

struct ThreadRecord {
    CommitWord commit;
    std::uint32_t threadId; ///< 1 upwards, unique in the process
    std::uint32_t tid;      ///< the kernel's
    char name[16];          ///< as in /proc/self/task/TID/comm
};
static_assert(sizeof(ThreadRecord) == kSlotBytes);

/// What samples refer to. Texts end with a zero byte, or fill their field. A repeated id replaces: so a
/// reason is added later.
struct SeriesRecord {
    CommitWord commit;
    std::uint32_t id; ///< 1 upwards, unique in the process
    SeriesKind kind;
    std::uint8_t padding[3];
    std::uint32_t reason; ///< string id: why values are missing; 0: none are
    char source[12];      ///< "nvml", "machine" ...
    char entity[24];      ///< "gpu0", "eth0" ...
    char metric[40];      ///< with its unit: "power_mw"
};
static_assert(sizeof(SeriesRecord) == 3 * kSlotBytes);

/// From here on something else is recorded, until the next one. Texts as a series'.
struct WindowRecord {
    CommitWord commit;
    std::int64_t startNs; ///< CLOCK_MONOTONIC
    std::uint64_t steps;  ///< begun by then, 0: none
    char level[8];        ///< "paused", "light", "standard", "deep"
    char why[64];         ///< empty: the profile says so
};
static_assert(sizeof(WindowRecord) == 3 * kSlotBytes);

} // namespace ringside::trace
