// SPDX-License-Identifier: Apache-2.0
// Reads traces of every schema version into memory. Hostile input gives ringside::Error (not a trace, newer
// schema) or Issues (a bad chunk, an impossible size), never undefined behaviour.
#pragma once
#include <ringside/trace/column.h>
#include <ringside/trace/rows.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ringside::trace {

/// Columns of device kernels, equally long, sorted by start within a (device, stream) after loading.
struct KernelColumns {
    Column<std::int64_t> startNs, endNs;
    Column<StringId> name;
    Column<std::uint32_t> device, stream, correlation, graph;
    Column<std::uint64_t> graphNode;
    Column<std::uint32_t> configuration;
    [[nodiscard]] std::size_t size() const { return startNs.size(); }
};
struct CopyColumns {
    Column<std::int64_t> startNs, endNs;
    Column<std::uint64_t> bytes;
    Column<std::uint32_t> device, stream, correlation, kind, graph, hostMemory;
    Column<std::uint64_t> graphNode;
    [[nodiscard]] std::size_t size() const { return startNs.size(); }
};
struct ApiCallColumns {
    Column<std::int64_t> startNs, endNs;
    Column<StringId> api;
    Column<std::uint32_t> thread, stream, copyKind;
    Column<std::uint64_t> bytes;
    Column<std::int32_t> result;
    [[nodiscard]] std::size_t size() const { return startNs.size(); }
};
struct LaunchColumns {
    Column<std::int64_t> startNs, endNs;
    Column<StringId> api;
    Column<std::uint32_t> tid, correlation;
    [[nodiscard]] std::size_t size() const { return startNs.size(); }
};
struct CallCorrelationColumns {
    Column<std::uint32_t> correlation;
    Column<std::uint64_t> call;
    [[nodiscard]] std::size_t size() const { return correlation.size(); }
};
struct PythonCallColumns {
    Column<std::int64_t> startNs, endNs;
    Column<StringId> name;
    Column<std::uint32_t> thread;
    [[nodiscard]] std::size_t size() const { return startNs.size(); }
};
struct OperatorColumns {
    Column<std::int64_t> startNs, endNs;
    Column<StringId> name;
    Column<std::uint32_t> tid;
    Column<StringId> shapes, types, inputs;
    [[nodiscard]] std::size_t size() const { return startNs.size(); }
};
struct ChannelTimeColumns {
    Column<std::int64_t> startNs, endNs;
    Column<std::uint64_t> operation;
    Column<std::uint32_t> channel, device, uncertaintyNs;
    [[nodiscard]] std::size_t size() const { return startNs.size(); }
};
struct KernelPhaseColumns {
    Column<std::int64_t> startNs, endNs;
    Column<std::uint64_t> operation;
    Column<std::uint32_t> channel, phase, device, uncertaintyNs;
    [[nodiscard]] std::size_t size() const { return startNs.size(); }
};
struct EventTimeColumns {
    Column<std::int64_t> startNs, endNs;
    Column<std::uint64_t> call;
    Column<std::uint32_t> device, stream, uncertaintyNs;
    [[nodiscard]] std::size_t size() const { return startNs.size(); }
};
struct ProxyStepColumns {
    Column<std::int64_t> startNs, endNs;
    Column<std::uint64_t> operation, bytes;
    Column<std::uint32_t> channel, peer, step, isSend;
    Column<std::int64_t> gpuWaitNs, peerWaitNs, networkWaitNs, flushWaitNs;
    [[nodiscard]] std::size_t size() const { return startNs.size(); }
};
struct GraphLaunchColumns {
    Column<std::int64_t> startNs, endNs;
    Column<std::uint64_t> launch;
    Column<std::uint32_t> graph, communicator;
    Column<std::uint64_t> sequence, calls;
    Column<std::uint32_t> stream, thread;
    Column<std::int32_t> result;
    [[nodiscard]] std::size_t size() const { return startNs.size(); }
};

struct SampleColumns {
    Column<std::int64_t> timeNs;
    Column<std::uint32_t> series;
    Column<std::int64_t> value;
    [[nodiscard]] std::size_t size() const { return timeNs.size(); }
};

/// Everything one process recorded. Times as in rows.h: CLOCK_MONOTONIC ns of its host.
struct ProcessTrace {
    // Defined once: of so many members they are long, and every file that holds a trace would compile them.
    ProcessTrace();
    ~ProcessTrace();
    ProcessTrace(const ProcessTrace&);
    ProcessTrace(ProcessTrace&&) noexcept;
    ProcessTrace& operator=(const ProcessTrace&);
    ProcessTrace& operator=(ProcessTrace&&) noexcept;

    std::filesystem::path path;
    ProcessRow process;
    std::unordered_map<StringId, std::string> strings;
    std::vector<RankRow> ranks;
    std::vector<DeviceRow> devices;
    std::vector<LaunchConfigurationRow> launchConfigurations; ///< by id
    std::vector<CommunicatorRow> communicators;
    std::vector<StreamRow> streams;
    std::vector<ThreadRow> threads;
    std::vector<ClockSampleRow> clockSamples;
    std::vector<CollectiveCallRow> collectiveCalls; ///< by id
    std::vector<GroupRow> groups;
    std::vector<NcclOperationRow> ncclOperations; ///< by id
    std::vector<NcclDetailRow> ncclDetails;
    std::vector<CallConfigRow> callConfigs;
    std::vector<StepRow> steps;
    std::vector<StepSummaryRow> stepSummaries;
    std::vector<StepTrafficRow> stepTraffic;
    std::vector<RangeRow> ranges; ///< by start
    std::vector<CategoryRow> categories;
    std::vector<TierRow> tiers;
    std::vector<WindowRow> windows; ///< by start
    std::vector<SettingRow> settings;
    std::vector<DropRow> drops;
    std::vector<IssueRow> issues; ///< as stored, plus what reading found
    std::vector<InFlightRow> inFlight;
    std::vector<HangRow> hangs;
    std::vector<StackRow> stacks;               ///< of the table, and of the file beside a process's
    std::vector<MemoryStateRow> memoryStates;   ///< by id
    std::vector<MemoryHolderRow> memoryHolders; ///< by state, largest first
    std::vector<SeriesRow> series;
    KernelColumns kernels;
    CopyColumns copies;
    ApiCallColumns apiCalls;
    LaunchColumns launches;
    PythonCallColumns pythonCalls;
    OperatorColumns operators;
    CallCorrelationColumns callCorrelations;
    ChannelTimeColumns channelTimes;
    KernelPhaseColumns kernelPhases;
    EventTimeColumns eventTimes;
    ProxyStepColumns proxySteps;
    GraphLaunchColumns graphLaunches;
    SampleColumns samples; ///< by time within a series
    std::int64_t recoveredRecords = 0;
    /// Where the whole trace is, if this is a summary of it (`ringside reduce`); empty otherwise.
    std::string summaryOf;
    std::unordered_map<std::uint32_t, std::uint64_t> ringProgress; ///< by ring id: slots that are in here

    [[nodiscard]] std::string_view text(StringId id) const; ///< empty for an unknown id
};

/// A run: all processes of a run directory, or of a merged file.
struct RunTrace {
    std::filesystem::path path;
    std::vector<ProcessTrace> processes;
    std::vector<IssueRow> issues; ///< of the run itself: unreadable files, rings not recovered
};

/// Opens NAME.ringside/ (every *.db in it), one process file, or a merged file. Reads files on all cores.
RunTrace openRun(const std::filesystem::path& path);
ProcessTrace readProcess(const std::filesystem::path& file);

} // namespace ringside::trace
