// SPDX-License-Identifier: Apache-2.0
#include "support/trace_builder.h"

#include "trace/tables.h"

#include <ringside/trace/write_process.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringside::test {

using namespace ringside::trace;

namespace {

constexpr std::int64_t kMonotonicAtBegin = 1'000'000'000'000;        ///< hosts have been up for a while
constexpr std::int64_t kRealtimeAtBegin = 1'700'000'000'000'000'000; ///< November 2023
constexpr std::int64_t kLaunchNs = 5'000;                            ///< host time of a launch
constexpr std::int64_t kLaunchLatencyNs = 2'000; ///< from the launch's end to the kernel's start
constexpr std::int64_t kMainThread = 1;
constexpr std::uint32_t kComputeStream = 7; ///< as CUPTI numbers streams
constexpr std::uint32_t kCommunicationStream = 14;
constexpr std::int64_t kFirstPid = 4000;

template <class Columns, class Row>
void append(Columns& columns, const Row& row)
{
    TableOf<Row>::forEachColumn(
        [&](const char*, Encoding, auto from, auto to) { (columns.*to).push_back(row.*from); });
}

/// Kernels of one name are all launched alike.
std::uint32_t configurationOf(ProcessTrace& trace, StringId name)
{
    auto& rows = trace.launchConfigurations;
    const auto known = std::ranges::find(rows, name, &LaunchConfigurationRow::name);
    if (known == rows.end()) {
        const auto id = static_cast<std::int64_t>(rows.size() + 1);
        rows.push_back({id, name, 264, 1, 1, 256, 1, 1, 64, 1024, 16384, 17408, std::nullopt});
        return static_cast<std::uint32_t>(id);
    }
    return static_cast<std::uint32_t>(known->id);
}

} // namespace

RankBuilder& RankBuilder::compute(nanoseconds duration, const ComputeOptions& options)
{
    for (const int index : m_ranks) {
        auto& rank = m_trace.m_ranks[static_cast<std::size_t>(index)];
        for (int i = 0; i < options.launches; ++i) {
            const std::int64_t begin = std::max(rank.compute, m_trace.launch(rank, "cudaLaunchKernel"));
            rank.compute = begin + duration.count() / options.launches;
            m_trace.kernel(rank, options.kernel, kComputeStream, begin, rank.compute);
        }
    }
    return *this;
}

RankBuilder& RankBuilder::copy(std::uint64_t bytes, nanoseconds duration, std::uint32_t kind)
{
    for (const int index : m_ranks) {
        auto& rank = m_trace.m_ranks[static_cast<std::size_t>(index)];
        const std::int64_t begin = std::max(rank.compute, m_trace.launch(rank, "cudaMemcpyAsync"));
        rank.compute = begin + duration.count();
        auto& calls = rank.trace.apiCalls;
        calls.bytes.set(calls.size() - 1, bytes);
        calls.copyKind.set(calls.size() - 1, kind);
        if (m_trace.m_deviceTier) {
            append(rank.trace.copies,
                   CopyRow{TraceBuilder::clock(rank, begin), TraceBuilder::clock(rank, rank.compute), bytes,
                           0, kComputeStream, rank.correlation, kind});
        }
    }
    return *this;
}

RankBuilder& RankBuilder::host(nanoseconds duration, std::string_view range)
{
    for (const int index : m_ranks) {
        auto& rank = m_trace.m_ranks[static_cast<std::size_t>(index)];
        m_trace.range(rank, range, rank.host, rank.host + duration.count());
        rank.host += duration.count();
    }
    return *this;
}

RankBuilder& RankBuilder::hostIdle(nanoseconds duration)
{
    for (const int index : m_ranks) {
        m_trace.m_ranks[static_cast<std::size_t>(index)].host += duration.count();
    }
    return *this;
}

RankBuilder& RankBuilder::synchronize()
{
    for (const int index : m_ranks) {
        m_trace.synchronize(m_trace.m_ranks[static_cast<std::size_t>(index)], "cudaDeviceSynchronize");
    }
    return *this;
}

RankBuilder& RankBuilder::waitForCommunication()
{
    for (const int index : m_ranks) {
        auto& rank = m_trace.m_ranks[static_cast<std::size_t>(index)];
        m_trace.launch(rank, "cudaStreamWaitEvent");
        rank.compute = std::max(rank.compute, rank.communication);
    }
    return *this;
}

RankBuilder StepBuilder::everyRank()
{
    std::vector<int> ranks(static_cast<std::size_t>(m_trace.ranks()));
    std::iota(ranks.begin(), ranks.end(), 0);
    return {m_trace, std::move(ranks)};
}

void StepBuilder::allReduce(std::uint64_t bytes, const CollectiveOptions& options)
{
    m_trace.collective({"ncclAllReduce",
                        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", bytes,
                        false},
                       options);
}

void StepBuilder::allGather(std::uint64_t bytesARank, const CollectiveOptions& options)
{
    m_trace.collective({"ncclAllGather", "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                        bytesARank, false},
                       options);
}

void StepBuilder::reduceScatter(std::uint64_t bytesARank, const CollectiveOptions& options)
{
    m_trace.collective({"ncclReduceScatter",
                        "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                        bytesARank, false},
                       options);
}

void StepBuilder::broadcast(std::uint64_t bytes, const CollectiveOptions& options)
{
    m_trace.collective(
        {"ncclBroadcast", "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)", bytes, true},
        options);
}

TraceBuilder::TraceBuilder(int ranks) : m_ranks(static_cast<std::size_t>(ranks))
{
    for (int i = 0; i < ranks; ++i) {
        Rank& rank = m_ranks[static_cast<std::size_t>(i)];
        ProcessTrace& trace = rank.trace;
        trace.process = {"host0",      "boot-host0", kFirstPid + i, kMonotonicAtBegin,
                         std::nullopt, "train",      "test",        true};
        trace.ranks.push_back({i, i, ranks, 0, 0, "RANK"});
        trace.devices.push_back(
            {0, "Emulated GPU", "GPU-" + std::to_string(i), "0000:00:00.0", 16LL << 30, true, 9, 0, 132});
        trace.communicators.push_back(
            {1, 0, 0x52494E47, ranks, i, 0, text(rank, "world"), kMonotonicAtBegin, 1, std::nullopt});
        trace.streams.push_back({1, 0, 0x1000});
        trace.streams.push_back({2, 0, 0x2000});
        trace.threads.push_back({kMainThread, kFirstPid + i, "train"});
        for (const TierName& tier : std::array<TierName, 3>{"device", "host", "nvtx"}) {
            trace.tiers.push_back({tier, true, "", std::nullopt, std::nullopt});
        }
    }
}

TraceBuilder& TraceBuilder::host(int rank, const std::string& name, nanoseconds offset, double driftPpm)
{
    Rank& on = m_ranks.at(static_cast<std::size_t>(rank));
    on.trace.process.host = name;
    on.trace.process.bootId = "boot-" + name;
    on.offset = offset;
    on.driftPpm = driftPpm;
    return *this;
}

TraceBuilder& TraceBuilder::withoutDeviceTier(const std::string& reason)
{
    m_deviceTier = false;
    for (Rank& rank : m_ranks) {
        rank.trace.tiers.front() = {"device", false, reason, std::nullopt, std::nullopt};
    }
    return *this;
}

TraceBuilder& TraceBuilder::withCudaEvents()
{
    m_cudaEvents = true;
    for (Rank& rank : m_ranks) {
        rank.trace.tiers.push_back({"events", true, "", 0, std::nullopt});
    }
    return withoutDeviceTier("another tool holds CUPTI");
}

TraceBuilder& TraceBuilder::withoutStepMarks()
{
    m_stepMarks = false;
    return *this;
}

TraceBuilder& TraceBuilder::withoutStepEndSync()
{
    m_stepEndSync = false;
    return *this;
}

TraceBuilder& TraceBuilder::steps(int count, const std::function<void(StepBuilder&)>& describe)
{
    for (int i = 0; i < count; ++i) {
        std::vector<std::int64_t> starts;
        for (const Rank& rank : m_ranks) {
            starts.push_back(rank.host);
        }
        StepBuilder step(*this, m_nextStep);
        describe(step);
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
            endStep(m_ranks[rank], m_nextStep, starts[rank]);
        }
        ++m_nextStep;
    }
    return *this;
}

void TraceBuilder::endStep(Rank& rank, std::int64_t number, std::int64_t start)
{
    rank.compute = std::max(rank.compute, rank.communication);
    if (m_stepEndSync) {
        synchronize(rank, "cudaStreamSynchronize");
    }
    if (m_stepMarks) {
        rank.trace.steps.push_back({number, clock(rank, start), clock(rank, rank.host), kMainThread});
    }
}

TraceBuilder& TraceBuilder::setting(const SettingSource& source, const std::string& name,
                                    const std::string& value)
{
    for (Rank& rank : m_ranks) {
        rank.trace.settings.push_back({source, name, value});
    }
    return *this;
}

TraceBuilder& TraceBuilder::sample(int rank, const SeriesRow& series, std::int64_t timeNs, std::int64_t value)
{
    ProcessTrace& trace = process(rank);
    auto found = std::ranges::find_if(trace.series, [&](const SeriesRow& known) {
        return known.source == series.source && known.entity == series.entity &&
               known.metric == series.metric;
    });
    if (found == trace.series.end()) {
        trace.series.push_back(series);
        found = trace.series.end() - 1;
        found->id = static_cast<std::int64_t>(trace.series.size());
    }
    trace.samples.timeNs.push_back(timeNs);
    trace.samples.series.push_back(static_cast<std::uint32_t>(found->id));
    trace.samples.value.push_back(value);
    return *this;
}

ProcessTrace& TraceBuilder::process(int rank)
{
    return m_ranks.at(static_cast<std::size_t>(rank)).trace;
}

StringId TraceBuilder::text(int rank, std::string_view text)
{
    return this->text(m_ranks.at(static_cast<std::size_t>(rank)), text);
}

StringId TraceBuilder::text(Rank& rank, std::string_view text)
{
    const auto known = rank.strings.find(text);
    if (known != rank.strings.end()) {
        return known->second;
    }
    const auto id = static_cast<StringId>(rank.strings.size() + 1);
    rank.strings.emplace(text, id);
    rank.trace.strings.emplace(id, text);
    return id;
}

void TraceBuilder::collective(const Collective& what, const CollectiveOptions& options)
{
    constexpr std::int64_t kFloat32 = 7;
    constexpr std::int64_t kSum = 0;
    std::vector<std::int64_t> arrivals;
    std::vector<std::int64_t> callStarts;
    for (Rank& rank : m_ranks) {
        callStarts.push_back(rank.host);
        const std::int64_t launched = launch(rank, "cudaLaunchKernelExC") + options.queueing.count();
        // The gradients it reduces come from the compute stream.
        arrivals.push_back(std::max({rank.compute, rank.communication, launched}));
    }
    const std::int64_t end = *std::max_element(arrivals.begin(), arrivals.end()) + options.takes.count();
    for (std::size_t i = 0; i < m_ranks.size(); ++i) {
        Rank& rank = m_ranks[i];
        kernel(rank, what.kernel, kCommunicationStream, arrivals[i], end);
        rank.communication = end;
        rank.compute = options.overlapped ? rank.compute : end;
        rank.host = options.blocksHost ? end : rank.host;
        CollectiveCallRow call;
        call.id = ++rank.calls;
        call.api = text(rank, what.api);
        call.communicator = 1;
        call.sequence = rank.collectives++;
        call.count = what.bytes / sizeof(float);
        call.bytes = *call.count * sizeof(float);
        call.datatype = kFloat32;
        call.reduction =
            what.api.find("Reduce") != std::string_view::npos ? std::optional(kSum) : std::nullopt;
        call.peer = what.rooted ? std::optional<std::int64_t>(0) : std::nullopt;
        call.stream = 2;
        call.startNs = clock(rank, callStarts[i]);
        call.endNs = clock(rank, rank.host);
        call.thread = kMainThread;
        call.result = 0;
        rank.trace.collectiveCalls.push_back(call);
        if (m_cudaEvents) {
            constexpr std::uint32_t kUncertaintyNs = 1000;
            append(rank.trace.eventTimes,
                   EventTimeRow{clock(rank, arrivals[i]), clock(rank, end),
                                static_cast<std::uint64_t>(call.id), 0,
                                static_cast<std::uint32_t>(call.stream), kUncertaintyNs});
        }
        if (m_deviceTier) {
            append(rank.trace.callCorrelations,
                   CallCorrelationRow{rank.correlation, static_cast<std::uint64_t>(call.id)});
        }
    }
}

/// The host launches something; returns when it may start on the device at the earliest.
std::int64_t TraceBuilder::launch(Rank& rank, std::string_view api)
{
    const std::int64_t start = rank.host;
    rank.host += kLaunchNs;
    ++rank.correlation;
    const bool inNccl = api == "cudaLaunchKernelExC"; // NCCL's own launches do not pass the interposers
    if (!inNccl) {
        append(rank.trace.apiCalls,
               ApiCallRow{clock(rank, start), clock(rank, rank.host), text(rank, api), kMainThread, 1});
    }
    if (m_deviceTier) {
        append(rank.trace.launches,
               LaunchRow{clock(rank, start), clock(rank, rank.host), text(rank, api),
                         static_cast<std::uint32_t>(rank.trace.process.pid), rank.correlation});
    }
    return rank.host + kLaunchLatencyNs;
}

void TraceBuilder::kernel(Rank& rank, std::string_view name, std::uint32_t stream, std::int64_t start,
                          std::int64_t end)
{
    if (m_deviceTier) {
        KernelRow row;
        row.startNs = clock(rank, start);
        row.endNs = clock(rank, end);
        row.name = text(rank, name);
        row.stream = stream;
        row.correlation = rank.correlation;
        row.configuration = configurationOf(rank.trace, row.name);
        append(rank.trace.kernels, row);
    }
}

void TraceBuilder::range(Rank& rank, std::string_view name, std::int64_t start, std::int64_t end)
{
    RangeRow row;
    row.name = text(rank, name);
    row.startNs = clock(rank, start);
    row.endNs = clock(rank, end);
    row.thread = kMainThread;
    rank.trace.ranges.push_back(row);
}

void TraceBuilder::synchronize(Rank& rank, std::string_view api)
{
    const std::int64_t start = rank.host;
    rank.host = std::max({rank.host + kLaunchNs, rank.compute, rank.communication});
    append(rank.trace.apiCalls,
           ApiCallRow{clock(rank, start), clock(rank, rank.host), text(rank, api), kMainThread, 0});
}

std::int64_t TraceBuilder::clock(const Rank& rank, std::int64_t trueNs)
{
    constexpr double kPpm = 1e-6;
    const auto drift =
        static_cast<std::int64_t>(std::llround(static_cast<double>(trueNs) * rank.driftPpm * kPpm));
    return kMonotonicAtBegin + trueNs + drift;
}

ProcessTrace TraceBuilder::finished(const Rank& rank) const
{
    ProcessTrace trace = rank.trace;
    const std::int64_t end = std::max({rank.host, rank.compute, rank.communication});
    trace.process.endNs = clock(rank, end);
    trace.process.collectorVersion = "built";
    for (const std::int64_t at : {std::int64_t{0}, end}) {
        const std::int64_t monotonic = clock(rank, at);
        const std::int64_t realtime =
            kRealtimeAtBegin + (monotonic - kMonotonicAtBegin) + rank.offset.count();
        trace.clockSamples.push_back({monotonic, realtime, std::nullopt, std::nullopt});
    }
    return trace;
}

RunTrace TraceBuilder::run() const
{
    RunTrace run;
    run.path = "built.ringside";
    for (const Rank& rank : m_ranks) {
        run.processes.push_back(finished(rank));
    }
    return run;
}

void TraceBuilder::write(const std::filesystem::path& directory) const
{
    std::filesystem::create_directories(directory);
    for (const Rank& rank : m_ranks) {
        const ProcessTrace trace = finished(rank);
        writeProcess(trace,
                     directory / (trace.process.host + "-" + std::to_string(trace.process.pid) + ".db"));
    }
}

} // namespace ringside::test
