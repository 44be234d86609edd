// SPDX-License-Identifier: Apache-2.0
// The ring file: a recording thread leaves records in it for the drain thread, and for recovery after
// SIGKILL. This header defines the layout only: constants and plain structs. The collector writes it, and
// trace/ring_decoder reads it.
//
// A ring is a file that one writing thread has mapped MAP_SHARED: one RingHeader (a page), then `slotCount`
// slots of 32 bytes. A record takes one to three consecutive slots (index modulo slotCount). Records do not
// wrap around; the writer fills the end with a Pad record. The first 8 bytes of a record are its commit word.
// It is stored last, with release order, and contains the low 32 bits of (slot index + 1), so that a reader
// can tell a finished record from one of an earlier lap. Times are clock ticks; Clock records convert them.
// The byte order is native, because rings are never read on another host.
//
// Its name is PROCESS.NUMBER.ring, where PROCESS is HOST-PID. Until the header identifies its process, the
// file has no name, or the suffix ".new" on file systems that cannot create unnamed files (tmpfs can). If the
// process is killed before that, the file stays in this state and contains no records.
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
inline constexpr const char* kUnfinishedExtension = ".new"; ///< follows the extension of a ring

enum class ClockKind : std::uint32_t { Tsc = 1, Monotonic = 2, ArmCounter = 3 };

/// Each process has one definitions ring for strings, communicators and the clock. Every other ring belongs
/// to one thread.
enum class RingRole : std::uint32_t { Definitions = 1, Thread = 2 };

/// The call that the thread is in now; `api` is 0 if it is in none. Written before each call and cleared
/// after it. A reader in another process sees consistent values because `api` is stored last (release), and
/// cleared first, with a fence behind it: without one, a processor that orders stores weakly could show the
/// next call's members with this call's `api`. A reader looks at it and the time before and after.
struct InFlight {
    std::atomic<std::uint32_t> api; ///< string id of the function's name, 0: none
    std::uint32_t communicator;     ///< communicator id, 0: none
    std::uint64_t startTicks;
    std::uint64_t count; ///< elements, or bytes if kCountIsBytes is set; of a new communicator: its ranks
    std::uint64_t sequence;
};
static_assert(sizeof(InFlight) == 32);
inline constexpr std::uint64_t kCountIsBytes = std::uint64_t{1} << 63;
/// InFlight::sequence of a call that makes a communicator: it has no number, and its communicator is the
/// parent.
inline constexpr std::uint64_t kNoSequence = ~std::uint64_t{0};

// fields that two threads write are on two cache lines
struct RingHeader { // NOLINT(clang-analyzer-optin.performance.Padding): recovery reads this layout
    std::uint64_t magic;
    std::uint32_t version;
    std::uint32_t headerBytes; ///< kRingHeaderBytes
    std::uint64_t slotCount;   ///< a power of two
    RingRole role;
    ClockKind clock;
    std::uint32_t pid;
    std::uint32_t tid;
    std::uint64_t processStartTicks; ///< /proc/PID/stat field 22, to detect a reused pid
    std::uint64_t createdMonotonicNs;
    char host[64];
    char processName[64];                        ///< base name of the database: "HOST-PID"
    std::uint32_t ringId;                        ///< unique in the process, from 1
    std::uint32_t threadId;                      ///< row id in the thread table, 0 for the definitions ring
    alignas(64) std::atomic<std::uint64_t> head; ///< next slot index; written by the owner to help its reader
    std::atomic<std::uint64_t> dropped;          ///< records of this thread that found no place
    /// CLOCK_MONOTONIC when the trace could no longer be written, 0 if it always could (definitions ring
    /// only)
    std::atomic<std::int64_t> stoppedNs;
    std::atomic<std::uint32_t>
        ownEnd; ///< what the process recorded about its own end (definitions ring only)
    alignas(64) std::atomic<std::uint64_t> tail; ///< slots before this index are committed to the database
    alignas(64) InFlight inFlight[4]; ///< [0] is the outermost call; deeper calls are not recorded yet
    /// Boot id of the machine, because the clock can only be read in the same boot; empty if not known
    char bootId[40];
    /// Reason that belongs to stoppedNs, such as "the disk is full"; empty if not known
    char stopReason[120];
};
static_assert(sizeof(RingHeader) <= kRingHeaderBytes);

// Values of ownEnd. 0 means that the process recorded nothing, as if it was killed or crashed.
inline constexpr std::uint32_t kOwnExit = 0x100; ///< with the exit code in the low 8 bits
inline constexpr std::uint32_t kOwnExec = 0x200; ///< replaced by another program

[[nodiscard]] constexpr std::uint32_t ownExit(int exitCode)
{
    constexpr std::uint32_t kSeenByParents = 0xFF;
    return kOwnExit | (static_cast<std::uint32_t>(exitCode) & kSeenByParents);
}

enum class RecordKind : std::uint8_t {
    None = 0,
    Pad = 1,  ///< skip `slots` slots
    Call = 2, ///< CallRecord, 1 slot: an API call of which only the stream matters
    /// MemoryRecord, 2 slots: an allocation, copy or set with a size, or any on a stream above 65535
    Memory = 3,
    Collective = 4,    ///< CollectiveRecord, 3 slots: one NCCL data call
    Group = 5,         ///< GroupRecord, 2 slots: one outermost ncclGroupStart..End
    Range = 6,         ///< RangeRecord, 2 slots: an NVTX range or mark
    Step = 7,          ///< StepRecord, 2 slots: an explicit step mark
    Sample = 8,        ///< SampleRecord, 1 slot: one value of a series
    NcclOperation = 9, ///< NcclOperationRecord, 3 slots: an operation that NCCL made of a call
    ChannelTime = 10,  ///< ChannelTimeRecord, 2 slots: one channel's part of an operation on the GPU
    ProxyStep = 11,    ///< ProxyStepRecord, 3 slots: one message of NCCL's proxy thread
    /// EventTimeRecord, 2 slots: the time between the two CUDA events around the work of a call
    EventTime = 12,
    GraphLaunch = 13, ///< GraphLaunchRecord, 3 slots: the calls of one communicator in a launched CUDA graph
    NcclDetail = 14,  ///< NcclDetailRecord, 2 slots: what newer versions of NCCL say of an operation
    KernelPhase = 15, ///< KernelPhaseRecord, 2 slots: a phase of one channel's part on the GPU
    // Definitions ring only:
    /// StringRecord, 3 slots: up to 72 bytes of a text; longer texts take several consecutive records
    String = 16,
    Communicator = 17, ///< CommunicatorRecord, 3 slots
    Stream = 18,       ///< StreamRecord, 1 slot
    Clock = 19,        ///< ClockRecord, 1 slot
    Thread = 20,       ///< ThreadRecord, 1 slot
    Series = 21,       ///< SeriesRecord, 3 slots
    Window = 22,       ///< WindowRecord, 3 slots
    // Of threads again:
    CallConfig = 23, ///< CallConfigRecord, 2 slots: what the program asked of NCCL for one call
};

/// First 8 bytes of every record.
struct CommitWord {
    std::uint32_t sequence; ///< low 32 bits of (index of this slot + 1)
    RecordKind kind;
    std::uint8_t slots;   ///< 1 to 3 (Pad: up to 3)
    std::uint16_t stream; ///< stream id of a Call, 0 for the default stream or none; 0 for other kinds
};
static_assert(sizeof(CommitWord) == 8);

struct CallRecord {
    CommitWord commit;
    std::uint64_t startTicks;
    std::uint64_t endTicks;
    std::uint32_t api;   ///< string id of the function's name
    std::int32_t result; ///< what the real function returned; kUnknownResult if no wrapper saw it
};
static_assert(sizeof(CallRecord) == kSlotBytes);
inline constexpr std::uint32_t kLastStreamOfCall = 0xFFFF; ///< larger ids do not fit into a Call
inline constexpr std::int32_t kUnknownResult = INT32_MIN;

struct MemoryRecord {
    CallRecord call;
    std::uint64_t bytes;
    std::uint32_t stream;   ///< stream id, 0 for the default stream or none
    std::uint32_t copyKind; ///< cudaMemcpyKind, or kNoCopyKind
    std::uint64_t reserved[2];
};
static_assert(sizeof(MemoryRecord) == 2 * kSlotBytes);
inline constexpr std::uint32_t kNoCopyKind = 0xFFFFFFFF;

struct CollectiveRecord {
    CallRecord call;
    std::uint64_t
        callId; ///< unique in the process, from 1; also the external correlation id of an ungrouped call
    /// Position among all data calls of this communicator, from 0, counted by the collector
    std::uint64_t sequence;
    std::uint64_t count;        ///< elements, as passed by the caller; bytes if the data type is unknown
    std::uint64_t groupId;      ///< callId of its group, 0 if there is none
    std::uint32_t communicator; ///< communicator id
    std::uint32_t stream;       ///< stream id
    std::int32_t peer;          ///< root of a rooted collective or peer of a send or receive, otherwise -1
    std::uint16_t datatype;     ///< ncclDataType_t, or kUnknownDatatype
    std::uint16_t reduction;    ///< ncclRedOp_t, or kNoReduction
    std::uint32_t graph;        ///< id of the CUDA graph into which it was captured, 0 if it ran
    std::uint32_t reserved[3];
};
static_assert(sizeof(CollectiveRecord) == 3 * kSlotBytes);
inline constexpr std::uint16_t kUnknownDatatype = 0xFFFF;
inline constexpr std::uint16_t kNoReduction = 0xFFFF;

/// One record for each communicator whose calls the graph contains, all with the same launch id, or one
/// record without a communicator for a graph that contains none. The launch itself is also a CallRecord.
struct GraphLaunchRecord {
    CallRecord call;
    /// From the same counter as callId; also the external correlation id of its work
    std::uint64_t launchId;
    std::uint64_t sequence;     ///< position of the first of these calls in their communicator
    std::uint64_t calls;        ///< data calls of this communicator in the graph
    std::uint32_t graph;        ///< id of the graph, 0 if its creation was not recorded
    std::uint32_t communicator; ///< communicator id, 0: no calls
    std::uint32_t stream;       ///< stream id
    std::uint32_t reserved[7];
};
static_assert(sizeof(GraphLaunchRecord) == 3 * kSlotBytes);

struct GroupRecord {
    /// From the begin of the outermost ncclGroupStart to the end of the outermost ncclGroupEnd
    CallRecord call;
    /// From the same counter as callId; also the external correlation id of its launches
    std::uint64_t groupId;
    std::uint64_t calls;             ///< data calls inside
    std::uint64_t endCallStartTicks; ///< begin of the ncclGroupEnd that launched the work
    std::uint64_t reserved;
};
static_assert(sizeof(GroupRecord) == 2 * kSlotBytes);

enum class RangeFlavour : std::uint16_t { PushPop = 1, StartEnd = 2, Mark = 3 };

struct RangeRecord {
    CommitWord commit;
    std::uint64_t startTicks;
    std::uint64_t endTicks; ///< equals startTicks for a mark
    std::uint32_t name;     ///< string id
    std::uint32_t domain;   ///< string id, 0 for the default domain
    std::uint32_t category;
    std::uint16_t depth; ///< nesting depth of push/pop on its thread and domain, 0 for the outermost
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
    std::uint64_t operation;  ///< unique in the process, from 1
    std::uint64_t callId;     ///< CollectiveRecord::callId, 0 if not known
    std::uint64_t startTicks; ///< begin of enqueueing
    std::uint64_t endTicks;
    std::uint64_t launchStartTicks; ///< begin of the launch that contains it, 0 if not seen
    std::uint64_t launchEndTicks;
    std::uint64_t ncclSequence; ///< NCCL's count for this communicator and function, or kUnknownNumber
    std::uint64_t bytes;        ///< kUnknownNumber if the data type is unknown
    std::uint32_t communicator; ///< communicator id, 0 if not known
    std::uint32_t function;     ///< string ids of NCCL's names, 0 for none
    std::uint32_t algorithm;
    std::uint32_t protocol;
    std::int32_t peer;     ///< root or peer, -1 for none
    std::uint8_t channels; ///< 0 if not known
    std::uint8_t reserved[3];
};
static_assert(sizeof(NcclOperationRecord) == 3 * kSlotBytes);
inline constexpr std::uint64_t kUnknownNumber = ~std::uint64_t{0};

struct ChannelTimeRecord {
    CommitWord commit;
    std::uint64_t operation;     ///< NcclOperationRecord::operation
    std::uint64_t deviceStartNs; ///< time of the GPU's globaltimer
    std::uint64_t deviceEndNs;
    std::uint64_t startSeenTicks; ///< when NCCL's proxy thread reported the start, which is after it happened
    std::uint64_t endSeenTicks;
    std::uint64_t notBeforeTicks; ///< begin of the launch, which is before the start; 0 if not known
    std::int32_t device;          ///< CUDA ordinal, -1 if not known
    std::uint16_t channel;
    std::uint16_t reserved;
};
static_assert(sizeof(ChannelTimeRecord) == 2 * kSlotBytes);

/// Written before the record of its operation, if NCCL tells any of it (profiler API 6 and 7).
struct NcclDetailRecord {
    CommitWord commit;
    std::uint64_t operation;        ///< NcclOperationRecord::operation
    std::uint64_t userTag;          ///< the program's own (ncclCollConfig_t), 0 for none
    std::uint64_t copiedBytes;      ///< by copy engines, of all batches
    std::uint32_t kernelVariant;    ///< string id, 0 if not reported
    std::uint32_t batches;          ///< of copies
    std::uint32_t copies;           ///< in all batches
    std::uint32_t syncs;            ///< with the other ranks
    std::uint8_t isSymmetric;       ///< 0 or 1; kUnknownFlag if not reported
    std::uint8_t hasIntraBatchSync; ///< as isSymmetric
    std::uint8_t reserved[14];
};
static_assert(sizeof(NcclDetailRecord) == 2 * kSlotBytes);
inline constexpr std::uint8_t kUnknownFlag = 0xFF;

/// Written after the record of its call, if the configuration asks for anything.
struct CallConfigRecord {
    CommitWord commit;
    std::uint64_t callId;     ///< CollectiveRecord::callId
    std::uint64_t userTag;    ///< 0 for none
    std::uint32_t algorithms; ///< string id of the list of NCCL's names, 0 for none
    std::int32_t minCtas;     ///< kUnsetOption for none, as the next ones
    std::int32_t maxCtas;
    std::int32_t nvlsCtas;
    std::int32_t clusterSize;
    std::int32_t ctaPolicy;
    std::uint8_t isForced; ///< NCCL fails rather than take another algorithm
    std::uint8_t hasLaunchEvent;
    std::uint8_t reserved[14];
};
static_assert(sizeof(CallConfigRecord) == 2 * kSlotBytes);
inline constexpr std::int32_t kUnsetOption = INT32_MIN;

/// Seen when NCCL reports it, after the kernel has ended.
struct KernelPhaseRecord {
    CommitWord commit;
    std::uint64_t operation;     ///< NcclOperationRecord::operation
    std::uint64_t deviceStartNs; ///< time of the GPU's globaltimer
    std::uint64_t deviceEndNs;
    std::uint64_t seenTicks;
    std::uint64_t notBeforeTicks; ///< as in ChannelTimeRecord
    std::int32_t device;          ///< CUDA ordinal, -1 if not known
    std::uint16_t channel;
    std::uint8_t
        phase; ///< NCCL's number: 0 waits for all ranks, 1 transfers and computes, 2 waits at the end
    std::uint8_t reserved[9];
};
static_assert(sizeof(KernelPhaseRecord) == 2 * kSlotBytes);

/// The time between the two CUDA events that were recorded before and after a call on one of its streams.
struct EventTimeRecord {
    CommitWord commit;
    std::uint64_t callId;        ///< CollectiveRecord::callId or GroupRecord::groupId
    std::uint64_t anchorTicks;   ///< when the device's anchor event happened
    std::int64_t startNs;        ///< after the anchor, by the device's clock; negative if before it
    std::int64_t endNs;          ///< as startNs
    std::int32_t device;         ///< CUDA ordinal
    std::uint32_t stream;        ///< stream id
    std::uint32_t uncertaintyNs; ///< of both times, in either direction
    std::uint32_t reserved[3];
};
static_assert(sizeof(EventTimeRecord) == 2 * kSlotBytes);

/// Times at which the waits of the message began. 0 means that there was no such wait, or that this version
/// of NCCL does not report it.
struct ProxyStepRecord {
    CommitWord commit;
    std::uint64_t operation; ///< NcclOperationRecord::operation, 0 if not known
    std::uint64_t startTicks;
    std::uint64_t endTicks;
    /// When sending, for the GPU's data; when receiving, for the GPU to consume them
    std::uint64_t gpuWaitTicks;
    std::uint64_t peerWaitTicks;    ///< when sending, for the receiver to be ready
    std::uint64_t networkWaitTicks; ///< for the network; when receiving, also for the sender
    std::uint64_t flushWaitTicks;   ///< when receiving, for the data to become visible to the GPU
    std::uint64_t bytes;            ///< kUnknownNumber if not reported
    std::int32_t peer;
    std::int32_t step;
    std::uint16_t channel;
    std::uint8_t isSend;
    std::uint8_t reserved[13];
};
static_assert(sizeof(ProxyStepRecord) == 3 * kSlotBytes);

struct SampleRecord {
    CommitWord commit;
    std::uint64_t ticks; ///< middle of the reading
    std::int64_t value;  ///< in the unit of the series; a 64-bit counter modulo 2^64
    std::uint32_t series;
    std::uint32_t reserved;
};
static_assert(sizeof(SampleRecord) == kSlotBytes);

struct StringRecord {
    CommitWord commit;
    std::uint32_t id;         ///< unique in the process, from 1
    std::uint32_t totalBytes; ///< length of the whole text, which is cut at 4096
    std::uint32_t offset;     ///< position of this part
    std::uint32_t partBytes;
    char text[72];
};
static_assert(sizeof(StringRecord) == 3 * kSlotBytes);

struct CommunicatorRecord {
    CommitWord commit;
    std::uint32_t id;     ///< unique in the process, from 1
    std::uint32_t parent; ///< id of the communicator from which it was split, 0 if there is none
    std::uint64_t hash;   ///< computed by the collector, the same on all ranks of the communicator
    std::int32_t size;    ///< number of ranks
    std::int32_t rank;    ///< rank of this process in it
    std::int32_t device;  ///< CUDA device ordinal
    std::uint32_t name;   ///< string id, 0 for none
    std::uint64_t createdTicks;
    std::uint64_t handle;   ///< ncclComm_t, to detect reuse
    std::uint64_t ncclHash; ///< NCCL's own hash, 0 if not known yet (a repeated record replaces the first)
    std::uint64_t reserved[4];
};
static_assert(sizeof(CommunicatorRecord) == 3 * kSlotBytes);

struct StreamRecord {
    CommitWord commit;
    std::uint32_t id; ///< unique in the process, from 1
    std::int32_t device;
    std::uint64_t handle; ///< cudaStream_t
    std::uint64_t reserved;
};
static_assert(sizeof(StreamRecord) == kSlotBytes);

/// One reading of all clocks. Ticks between two readings are converted by linear interpolation; ticks before
/// the first and after the last reading by the slope of the nearest pair. With ClockKind::Monotonic, ticks
/// are CLOCK_MONOTONIC ns.
struct ClockRecord {
    CommitWord commit;
    std::uint64_t ticks;
    std::int64_t monotonicNs;
    std::int64_t realtimeNs;
};
static_assert(sizeof(ClockRecord) == kSlotBytes);

struct ThreadRecord {
    CommitWord commit;
    std::uint32_t threadId; ///< unique in the process, from 1
    std::uint32_t tid;      ///< thread id of the kernel
    char name[16];          ///< as in /proc/self/task/TID/comm
};
static_assert(sizeof(ThreadRecord) == kSlotBytes);

/// A series of samples. Texts end with a zero byte or fill their field. A record with the same id replaces
/// the first; this is how a reason is added later.
struct SeriesRecord {
    CommitWord commit;
    std::uint32_t id; ///< unique in the process, from 1
    SeriesKind kind;
    std::uint8_t padding[3];
    std::uint32_t reason; ///< string id of the reason why values are missing, 0 if none are
    char source[12];      ///< "nvml", "machine" ...
    char entity[24];      ///< "gpu0", "eth0" ...
    char metric[40];      ///< with its unit: "power_mw"
};
static_assert(sizeof(SeriesRecord) == 3 * kSlotBytes);

/// The start of a window: from here to the next record of this kind, recording has this level. Texts are as
/// in SeriesRecord.
struct WindowRecord {
    CommitWord commit;
    std::int64_t startNs; ///< CLOCK_MONOTONIC
    std::uint64_t steps;  ///< steps begun by then, 0 for none
    char level[8];        ///< "paused", "light", "standard", "deep"
    char why[64];         ///< empty if the profile requires this level
};
static_assert(sizeof(WindowRecord) == 3 * kSlotBytes);

} // namespace ringside::trace
