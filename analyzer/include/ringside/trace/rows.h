// SPDX-License-Identifier: Apache-2.0
// The rows of a trace, as plain structs: one struct a table of the schema, one member a column of the same
// meaning. FORMAT.md documents tables, units and encodings. Times are CLOCK_MONOTONIC ns of the host
// that wrote them; table clock_sample ties them to CLOCK_REALTIME. An absent (not measured) value is
// std::nullopt, never 0.
#pragma once
#include "trace/vocabulary/fact.h"
#include "trace/vocabulary/issue.h"
#include "trace/vocabulary/level.h"
#include "trace/vocabulary/memory_moment.h"
#include "trace/vocabulary/port_fact.h"
#include "trace/vocabulary/series.h"
#include "trace/vocabulary/setting_source.h"
#include "trace/vocabulary/stack_source.h"
#include "trace/vocabulary/summary_source.h"
#include "trace/vocabulary/tier.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ringside::trace {

/// 2: tables and columns for NCCL's own events, samples in chunks, graphs, windows and hangs (FORMAT.md).
/// 3: summaries of steps.
/// 4: launch configurations of kernels, and calls of Python functions.
/// Columns that a plain table got after its first version are optional members: an older file has none.
inline constexpr int kSchemaVersion = 6;

using StringId = std::uint32_t; ///< of the process's string table; 0 is the empty string

// ---- plain rows ----
struct ProcessRow { ///< table process: one row a file
    std::string host;
    std::string bootId;
    std::int64_t pid = 0;
    std::int64_t startNs = 0;
    std::optional<std::int64_t> endNs; ///< null: did not close its trace (killed, or still running)
    std::string command;               ///< argv[0] and script only; arguments may hold secrets
    std::string collectorVersion;
    bool emulated = false; ///< ran on the CPU platform
};
struct RankRow { ///< table rank
    std::int64_t rank = 0;
    std::optional<std::int64_t> localRank;
    std::optional<std::int64_t> worldSize;
    std::optional<std::int64_t> device; ///< CUDA ordinal
    std::int64_t attempt = 0;           ///< restarts of the same rank
    std::string source;                 ///< what told us: "RANK", "SLURM_PROCID", "communicator", "api"
};
struct DeviceRow { ///< table device
    std::int64_t ordinal = 0;
    std::string name;
    std::string uuid;
    std::string pciBusId;
    std::optional<std::int64_t> memoryBytes;
    bool emulated = false;
    std::optional<std::int64_t> computeMajor, computeMinor; ///< compute capability: 9 and 0 for an H100
    std::optional<std::int64_t> multiprocessors;
};
/// Table launch_configuration: how kernels of one name were launched. Most kernels of a training share a few
/// hundred configurations, so each is stored once and kernels refer to it. A null was not reported.
struct LaunchConfigurationRow {
    std::int64_t id = 0;                                ///< from 1 on
    StringId name = 0;                                  ///< of the kernel
    std::optional<std::int64_t> gridX, gridY, gridZ;    ///< blocks
    std::optional<std::int64_t> blockX, blockY, blockZ; ///< threads of a block
    std::optional<std::int64_t> registersPerThread;
    std::optional<std::int64_t> staticSharedBytes, dynamicSharedBytes; ///< of a block
    std::optional<std::int64_t> sharedBytes; ///< both together: some tools do not tell them apart
    /// What the PyTorch profiler writes as "est. achieved occupancy %". Other tools write nothing like it.
    std::optional<std::int64_t> estimatedOccupancyPercent;
    bool operator==(const LaunchConfigurationRow&) const = default;
};
struct CommunicatorRow { ///< table communicator
    std::int64_t id = 0;
    std::int64_t parent = 0;
    std::uint64_t hash = 0;
    std::int64_t size = 0;
    std::int64_t rank = 0;
    std::int64_t device = -1;
    StringId name = 0;
    std::int64_t createdNs = 0;
    std::uint64_t handle = 0;
    std::optional<std::uint64_t> ncclHash; ///< NCCL's own (commHash): what logs and other tools call it
};
struct StreamRow { ///< table stream
    std::int64_t id = 0;
    std::int64_t device = 0;
    std::uint64_t handle = 0;
};
struct ThreadRow { ///< table thread
    std::int64_t id = 0;
    std::int64_t tid = 0;
    std::string name;
};
struct ClockSampleRow { ///< table clock_sample
    std::int64_t monotonicNs = 0;
    std::int64_t realtimeNs = 0;
    std::optional<std::uint64_t> ticks;
    std::optional<std::int64_t> deviceNs; ///< cuptiGetTimestamp at that moment
};
struct CollectiveCallRow { ///< table collective_call
    std::int64_t id = 0;   ///< callId of the ring
    StringId api = 0;
    std::int64_t communicator = 0;
    std::int64_t sequence = 0;
    std::optional<std::uint64_t> count;    ///< elements; null where only the bytes are known
    std::optional<std::uint64_t> bytes;    ///< count x element size of this call (per-rank part for AG/RS)
    std::optional<std::int64_t> datatype;  ///< ncclDataType_t
    std::optional<std::int64_t> reduction; ///< ncclRedOp_t
    std::optional<std::int64_t> peer;      ///< root or peer
    std::int64_t stream = 0;
    std::int64_t groupId = 0; ///< 0: not in a group
    std::int64_t startNs = 0; ///< of the host call
    std::int64_t endNs = 0;
    std::int64_t thread = 0;
    std::optional<std::int64_t> result; ///< ncclResult_t; null: no wrapper saw the call return
    std::optional<std::int64_t> graph;  ///< captured into this CUDA graph, so it did not run; null: it ran
};
struct GroupRow { ///< table collective_group
    std::int64_t id = 0;
    std::int64_t calls = 0;
    std::int64_t startNs = 0;
    std::int64_t launchStartNs = 0; ///< begin of the outermost ncclGroupEnd
    std::int64_t endNs = 0;
    std::int64_t thread = 0;
    std::optional<std::int64_t> result; ///< as of a collective call
};
struct NcclOperationRow { ///< table nccl_operation: what NCCL made of a call (profiler plugin)
    std::int64_t id = 0;
    std::optional<std::int64_t> call; ///< collective_call.id; null: not known
    std::int64_t communicator = 0;
    StringId function = 0; ///< NCCL's words: AllReduce, RING, SIMPLE ...
    StringId algorithm = 0;
    StringId protocol = 0;
    std::optional<std::int64_t> channels;
    std::optional<std::int64_t> ncclSequence; ///< NCCL's own, of communicator and function
    std::optional<std::int64_t> bytes;
    std::optional<std::int64_t> peer; ///< root or peer
    std::int64_t startNs = 0;         ///< of enqueueing
    std::int64_t endNs = 0;
    std::optional<std::int64_t> launchStartNs; ///< of the kernel launch that holds it
    std::optional<std::int64_t> launchEndNs;
    std::int64_t thread = 0;
};
/// Table nccl_detail: what newer versions of NCCL say of an operation. Null: not told.
struct NcclDetailRow {
    std::int64_t operation = 0; ///< nccl_operation.id
    StringId kernelVariant = 0;
    std::optional<std::int64_t> isSymmetric;
    std::optional<std::int64_t> userTag; ///< the program's own, of the call
    // Of a collective that copy engines do.
    std::optional<std::int64_t> batches;
    std::optional<std::int64_t> copies; ///< in all batches, as the next
    std::optional<std::int64_t> copiedBytes;
    std::optional<std::int64_t> syncs; ///< with the other ranks
    std::optional<std::int64_t> hasIntraBatchSync;
};
/// Table call_config: what the program asked of NCCL for one call (ncclCollConfig_t). Null: it left it to
/// NCCL.
struct CallConfigRow {
    std::int64_t call = 0; ///< collective_call.id
    StringId algorithms = 0;
    std::optional<std::int64_t> isForced; ///< NCCL fails rather than take another algorithm
    std::optional<std::int64_t> minCtas;
    std::optional<std::int64_t> maxCtas;
    std::optional<std::int64_t> nvlsCtas;
    std::optional<std::int64_t> clusterSize;
    std::optional<std::int64_t> ctaPolicy;
    std::optional<std::int64_t> userTag;
    std::int64_t hasLaunchEvent = 0;
};
struct StepRow { ///< table step_mark
    std::int64_t number = 0;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::int64_t thread = 0;
};
struct RangeRow { ///< table user_range
    StringId name = 0;
    StringId domain = 0;
    std::int64_t category = 0;
    std::int64_t depth = 0;
    std::int64_t flavour = 1; ///< RangeFlavour
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::int64_t thread = 0;
};
/// Table step_summary: a step, or a stretch of time where no steps are marked, as the recording process
/// itself summed it up. One row a device whose work was measured in it, else one without a device.
struct StepSummaryRow {
    std::int64_t id = 0;                ///< from 1; the rows of one step have the same
    std::optional<std::int64_t> device; ///< CUDA ordinal
    std::optional<std::int64_t> number; ///< the program's own; null: it gave none
    SummarySource source;
    std::int64_t startNs = 0; ///< on the host
    std::int64_t endNs = 0;
    // On the device, from its first operation to that of the next step. Null: not measured.
    std::optional<std::int64_t> deviceStartNs;
    std::optional<std::int64_t> deviceEndNs;
    std::optional<std::int64_t> computeNs; ///< interval unions, as docs/metrics.md defines them
    std::optional<std::int64_t> communicationNs;
    std::optional<std::int64_t> exposedCommunicationNs;
    std::optional<std::int64_t> exposedCopyNs;
    std::optional<std::int64_t> idleNs;
    /// In NCCL's kernels that were enqueued in the step, by NCCL's own timers on the GPU; a union. Null: not
    /// measured.
    std::optional<std::int64_t> ncclNs;
    // Of the process, whatever the device. By the start of a call.
    std::int64_t launches = 0;    ///< kernels and graphs
    std::int64_t collectives = 0; ///< calls, those of launched graphs too
    std::int64_t blockingNs = 0;  ///< in calls that wait for the device; union over threads
    std::int64_t loadingNs = 0;   ///< in ranges that load data, of the thread that marks the steps
};
struct StepTrafficRow {       ///< table step_traffic: what a step gave to a communicator
    std::int64_t summary = 0; ///< StepSummaryRow::id
    std::int64_t communicator = 0;
    std::int64_t startNs = 0; ///< of the step
    std::int64_t calls = 0;
    std::optional<std::int64_t> bytes; ///< null: of some call they are not known
};
struct CategoryRow { ///< table category: what a program calls a number of user_range.category
    StringId domain = 0;
    std::int64_t category = 0;
    StringId name = 0;
};
struct TierRow { ///< table tier: what was really active, and why not
    TierName tier;
    bool active = false;
    std::string reason; ///< why not, or what limits it; empty when fully active
    std::optional<std::int64_t> startNs;
    std::optional<std::int64_t> endNs;
};
struct WindowRow { ///< table window: how much was recorded when
    LevelName level;
    std::int64_t startNs = 0;
    std::optional<std::int64_t> endNs;     ///< null: until the process ended
    std::string why;                       ///< empty: it is what the profile always does
    std::optional<std::int64_t> step = {}; ///< the last that had begun, counted from 1; null: none
};
struct SettingRow { ///< table setting
    SettingSource source;
    std::string name;
    std::string value;
};
/// `of` is what the fact is of, if its name has a place for that.
[[nodiscard]] inline SettingRow settingRow(const Fact& fact, std::string value, std::string_view of = {})
{
    return {fact.source(), fact.name(of), std::move(value)};
}
/// A fact of a port or an interface; `source` is "rdma" or "network".
[[nodiscard]] inline SettingRow settingRow(SettingSource source, std::string_view port, const PortFact& fact,
                                           std::string value)
{
    return {std::move(source), std::string(port).append(" ").append(fact.text()), std::move(value)};
}
struct DropRow { ///< table dropped
    std::string what;
    std::int64_t ring = 0;
    std::int64_t records = 0;
    std::int64_t thread = 0; ///< whose records they were, 0: of no thread, or not known
};
struct IssueRow {         ///< table issue
    IssueRow() = default; ///< for readers
    /// `subject`: which one, where a process may have several of them ("mlx5_0:1").
    IssueRow(Issue issue, std::int64_t times, std::string what, std::string_view subject = {})
        : id(issueId(issue)), severity(severityOf(issue)), count(times), message(std::move(what))
    {
        if (!subject.empty()) {
            id.append(" ").append(subject);
        }
    }
    [[nodiscard]] bool is(Issue issue) const
    {
        return std::string_view(id).substr(0, id.find(' ')) == issueId(issue);
    }

    std::string
        id; ///< of vocabulary/issues.def, and a subject; or another's word, of a file that is not ours
    Severity severity = Severity::Warning;
    std::int64_t count = 0;
    std::string message;
};
struct InFlightRow { ///< table in_flight: what threads were inside at the end, or at a hang
    std::int64_t thread = 0;
    StringId api = 0;
    std::int64_t communicator = 0;
    std::int64_t sequence = 0;
    std::optional<std::uint64_t> count; ///< elements; null where only the bytes are known
    std::int64_t startNs = 0;
    std::optional<std::int64_t>
        hang; ///< what threads were inside when that hang was noticed; null: at the end
    std::optional<std::uint64_t> bytes; ///< where the elements are not known
};
struct HangRow { ///< table hang: the process made no progress for the hang timeout
    std::int64_t id = 0;
    std::int64_t noticedNs = 0;
    std::int64_t sinceNs = 0; ///< begin of the call that did not return, or of the time without collectives
    std::optional<std::int64_t> endedNs; ///< when it was seen to go on; null: never
    std::string reason;
};
struct StackRow { ///< table stack: a line of a thread's stack, taken from outside of the process
    StackSource source;
    std::optional<std::int64_t> hang; ///< null: taken by hand
    std::int64_t takenNs = 0;
    std::int64_t tid = 0;   ///< the kernel's, 0: of the process as a whole
    std::int64_t frame = 0; ///< 0 is the innermost
    std::string thread;     ///< name
    std::string text;
};
/// Table memory_state: what a framework's allocator held of a GPU's memory at a moment. Null: not known.
struct MemoryStateRow {
    std::int64_t id = 0;     ///< from 1
    std::int64_t device = 0; ///< CUDA ordinal
    MemoryMoment moment;
    std::optional<std::int64_t> timeNs;
    std::optional<std::int64_t> events; ///< of a peak: among so many it was found
    std::int64_t requestedBytes = 0;    ///< that the program asked for and holds
    std::int64_t reservedBytes = 0;     ///< that the allocator has from CUDA
    std::optional<std::int64_t> allocatedBytes, activeBytes, inactiveSplitBytes, largestFreeBytes;
    std::optional<std::int64_t> wantedBytes, deviceFreeBytes; ///< of an allocation that failed

    /// Returns reservedBytes. Null if more is held than that: segments that contradict themselves were left
    /// out.
    [[nodiscard]] std::optional<std::int64_t> reserved() const
    {
        return reservedBytes >= requestedBytes ? std::optional(reservedBytes) : std::nullopt;
    }
};
struct MemoryHolderRow {    ///< table memory_holder: a place in the program that allocated what is held
    std::int64_t state = 0; ///< memory_state.id
    StringId place = 0;     ///< 0: not known
    StringId category = 0;  ///< that the program gave; 0: none
    std::int64_t bytes = 0; ///< requested
    std::int64_t blocks = 0;
};
struct SeriesRow { ///< table series: what samples refer to
    std::int64_t id = 0;
    SeriesSource source;
    std::string entity; ///< gpu0 (CUDA ordinal), eth0, mlx5_0/1 ...
    SeriesMetric metric;
    SeriesKindName kind;
    StringId reason = 0; ///< why values are missing; 0: none are
};
[[nodiscard]] inline SeriesRow seriesRow(SeriesName name, std::int64_t id, std::string entity)
{
    const SeriesEntry& entry = entryOf(name);
    return {id,
            SeriesSource::of(entry),
            std::move(entity),
            SeriesMetric::of(entry),
            SeriesKindName::of(entryOf(entry.kind)),
            0};
}

// ---- column chunks: millions of rows; shown as ordinary tables by the virtual tables ----
struct KernelRow { ///< table kernel: device work that is neither copy nor set
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    StringId name = 0;
    std::uint32_t device = 0;
    std::uint32_t stream = 0; ///< CUPTI's stream id
    std::uint32_t correlation = 0;
    std::uint32_t graph = 0;         ///< CUPTI's graph id, 0: not of a graph (or CUPTI before 11.2)
    std::uint64_t graphNode = 0;     ///< CUPTI's graph node id, 0: not of a graph
    std::uint32_t configuration = 0; ///< id of its launch configuration, 0: not known
};
struct CopyRow { ///< table copy: copies and sets on the device
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::uint64_t bytes = 0;
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    std::uint32_t correlation = 0;
    std::uint32_t kind = 0; ///< CUpti_ActivityMemcpyKind; kSetKind for a memset
    std::uint32_t graph = 0;
    std::uint64_t graphNode = 0;
    std::uint32_t hostMemory = 0; ///< CUpti_ActivityMemoryKind of the host's end, 0: none or not known
};
inline constexpr std::uint32_t kSetKind = 255;
inline constexpr std::uint32_t kCopyToDevice = 1; ///< CUpti_ActivityMemcpyKind
inline constexpr std::uint32_t kCopyToHost = 2;
inline constexpr std::uint32_t kPageableMemory = 1; ///< CUpti_ActivityMemoryKind
inline constexpr std::uint32_t kPinnedMemory = 2;
/// Returns CopyRow::hostMemory of a copy between memories of these kinds (CUpti_ActivityMemoryKind).
[[nodiscard]] constexpr std::uint32_t hostMemoryOf(std::uint32_t copyKind, std::uint32_t source,
                                                   std::uint32_t destination)
{
    return copyKind == kCopyToDevice ? source : copyKind == kCopyToHost ? destination : 0;
}
struct ApiCallRow { ///< table api_call: host tier, from the interposers
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    StringId api = 0;
    std::uint32_t thread = 0;
    std::uint32_t stream = 0; ///< stream id, 0: none
    std::uint32_t copyKind = 0xFFFFFFFF;
    std::uint64_t bytes = 0;
    std::int32_t result = 0;
};
struct LaunchRow { ///< table launch: device tier, the API call that caused device work
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    StringId api = 0;
    std::uint32_t tid = 0; ///< kernel thread id
    std::uint32_t correlation = 0;
};
/// Table python_call: a call of a Python function, of a module or of a C function by Python. Calls of a
/// thread nest.
struct PythonCallRow {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    StringId name = 0; ///< such as "train.py(42): step", "nn.Module: Linear_0", "<built-in method add>"
    std::uint32_t thread = 0;
};
/// Table operator: a matrix product, a convolution or an attention of a framework, whose shapes tell how much
/// is computed. The texts are the profiler's: "[[16, 4], [4, 8]]", "[float, float]", "[, 1, True]".
struct OperatorRow {
    std::int64_t startNs = 0; ///< of the call on the host
    std::int64_t endNs = 0;
    StringId name = 0;     ///< such as "aten::mm"
    std::uint32_t tid = 0; ///< as in launch
    StringId shapes = 0;
    StringId types = 0;
    StringId inputs = 0; ///< the values of arguments that are no tensors
};
struct ChannelTimeRow { ///< table channel_time: an operation on the GPU, by channel (GPU times)
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::uint64_t operation = 0; ///< nccl_operation.id
    std::uint32_t channel = 0;
    std::uint32_t device = 0;        ///< CUDA ordinal; kUnknownDevice
    std::uint32_t uncertaintyNs = 0; ///< both times may be too late by so much; kUnboundedNs
};
inline constexpr std::uint32_t kUnknownDevice = 0xFFFFFFFF;
inline constexpr std::uint32_t kUnboundedNs = 0xFFFFFFFF;
struct KernelPhaseRow { ///< table kernel_phase: NCCL's own parts of a channel_time (GPU times)
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::uint64_t operation = 0; ///< nccl_operation.id
    std::uint32_t channel = 0;
    std::uint32_t phase = 0;  ///< kWaitsForAll, kTransfers, kWaitsAtEnd
    std::uint32_t device = 0; ///< as in channel_time, as the next
    std::uint32_t uncertaintyNs = 0;
};
inline constexpr std::uint32_t kWaitsForAll = 0;
inline constexpr std::uint32_t kTransfers = 1;
inline constexpr std::uint32_t kWaitsAtEnd = 2;
struct EventTimeRow { ///< table event_time: a call between two CUDA events on one of its streams
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::uint64_t call = 0;          ///< collective_call.id or collective_group.id
    std::uint32_t device = 0;        ///< CUDA ordinal
    std::uint32_t stream = 0;        ///< stream id
    std::uint32_t uncertaintyNs = 0; ///< both times may be off by so much, either way
};
struct ProxyStepRow { ///< table proxy_step: a message of NCCL's proxy thread
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::uint64_t operation = 0; ///< nccl_operation.id, 0: not known
    std::uint32_t channel = 0;
    std::uint32_t peer = 0;
    std::uint32_t step = 0;
    std::uint32_t isSend = 0;
    std::uint64_t bytes = 0;
    std::int64_t gpuWaitNs = kNotSeenNs; ///< durations
    std::int64_t peerWaitNs = kNotSeenNs;
    std::int64_t networkWaitNs = kNotSeenNs;
    std::int64_t flushWaitNs = kNotSeenNs;
    static constexpr std::int64_t kNotSeenNs = -1;
};
struct CallCorrelationRow { ///< table call_correlation: launch -> NCCL call (or group) that made it; n to 1
    std::uint32_t correlation = 0;
    std::uint64_t call = 0; ///< collective_call.id, collective_group.id or graph_launch.launch_id
};
struct GraphLaunchRow { ///< table graph_launch: one row a communicator whose calls the graph holds, or one
    std::int64_t startNs = 0; ///< of the host call
    std::int64_t endNs = 0;
    std::uint64_t launch = 0;       ///< its number, in the count of collective_call.id
    std::uint32_t graph = 0;        ///< graph id, as in collective_call.graph; 0: not known
    std::uint32_t communicator = 0; ///< 0: the graph holds no NCCL calls
    std::uint64_t sequence = 0;     ///< of its first call in the communicator's count
    std::uint64_t calls = 0;
    std::uint32_t stream = 0;
    std::uint32_t thread = 0;
    std::int32_t result = 0;
};
struct SampleRow { ///< table sample: one value of a series; what could not be read has no row
    std::int64_t timeNs = 0;
    std::uint32_t series = 0;
    std::int64_t value = 0; ///< in the series' unit; a 64-bit counter modulo 2^64
};

} // namespace ringside::trace
