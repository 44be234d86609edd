// SPDX-License-Identifier: Apache-2.0
#include "support/framework_job.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ringside::test {
namespace {

using trace::CollectiveCallRow;
using trace::ProcessTrace;

constexpr int kRanks = 2;
constexpr std::int64_t kStart = 1'000'000'000'000; ///< as of TraceBuilder
constexpr std::int64_t kCallNs = 12'000;
constexpr std::int64_t kGraph = 7;
constexpr std::int64_t kWorld = 1; ///< the communicator that TraceBuilder made
constexpr std::uint32_t kOptimizerKernels = 6;

/// One rank's recording while its script is played.
class Recording final {
public:
    Recording(TraceBuilder& trace, int rank, const JobTrouble& trouble, std::uint64_t seed)
        : m_trace(trace)
        , m_rank(rank)
        , m_trouble(trouble)
        , m_random(seed * kRanks + static_cast<std::uint64_t>(rank))
    {}

    [[nodiscard]] std::int64_t now() const { return m_now; }
    void waitUntil(std::int64_t time) { m_now = std::max(m_now, time); }

    void play(const Script& script)
    {
        for (const ScriptItem& item : script) {
            switch (item.what) {
            case ScriptItem::What::Host:
                passTime(item.host);
                break;
            case ScriptItem::What::Optimizer:
                optimize(item.host);
                break;
            case ScriptItem::What::Call:
                addCall(item);
                break;
            case ScriptItem::What::GraphLaunch:
                launchGraph(item);
                break;
            }
        }
    }

    /// The captured calls of a graph, which did not run.
    void capture(const Script& script)
    {
        for (const ScriptItem& item : script) {
            if (item.what == ScriptItem::What::Call) {
                addCall(item);
                process().collectiveCalls.back().graph = kGraph;
                ++m_captured;
            }
        }
    }

    /// Leaves out the first calls of the recording, and some in between.
    void lose(std::size_t first, std::size_t last)
    {
        auto& calls = process().collectiveCalls;
        calls.resize(calls.size() - std::min(calls.size(), last));
        calls.erase(calls.begin(),
                    calls.begin() + static_cast<std::ptrdiff_t>(std::min(first, calls.size())));
        for (int i = 0; i < m_trouble.missing && calls.size() > 1; ++i) {
            std::uniform_int_distribution<std::size_t> place(0, calls.size() - 1);
            calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(place(m_random)));
        }
    }

private:
    [[nodiscard]] ProcessTrace& process() { return m_trace.process(m_rank); }

    void passTime(nanoseconds time)
    {
        std::lognormal_distribution<double> jitter(0, m_trouble.jitter);
        const double slowness = m_rank == 1 ? m_trouble.slowness : 1;
        m_now += std::llround(static_cast<double>(time.count()) * slowness * jitter(m_random));
    }

    std::int64_t communicatorOf(Group group)
    {
        if (group == Group::Data) {
            return kWorld;
        }
        const auto [entry, fresh] =
            m_communicators.try_emplace(group, static_cast<std::int64_t>(process().communicators.size()) + 1);
        if (fresh) {
            trace::CommunicatorRow row = process().communicators.front();
            row.id = entry->second;
            row.hash += static_cast<std::uint64_t>(group);
            process().communicators.push_back(row);
        }
        return entry->second;
    }

    void addCall(const ScriptItem& item)
    {
        constexpr std::int64_t kFloat32 = 7;
        passTime(nanoseconds(kCallNs));
        CollectiveCallRow call;
        call.id = ++m_calls;
        call.api = m_trace.text(m_rank, item.api);
        call.communicator = communicatorOf(item.group);
        call.sequence = m_sequences[call.communicator]++;
        call.count = item.bytes / sizeof(float);
        call.bytes = item.bytes;
        call.datatype = kFloat32;
        call.peer = item.peer < 0 ? std::nullopt : std::optional<std::int64_t>(item.peer);
        call.stream = 2;
        call.startNs = kStart + m_now;
        m_now += kCallNs;
        call.endNs = kStart + m_now;
        call.thread = 1;
        call.result = 0;
        process().collectiveCalls.push_back(call);
    }

    void launchGraph(const ScriptItem& item)
    {
        trace::GraphLaunchColumns& launches = process().graphLaunches;
        launches.startNs.push_back(kStart + m_now);
        launches.endNs.push_back(kStart + m_now + kCallNs);
        launches.launch.push_back(static_cast<std::uint64_t>(++m_calls));
        launches.graph.push_back(static_cast<std::uint32_t>(kGraph));
        launches.communicator.push_back(static_cast<std::uint32_t>(kWorld));
        launches.sequence.push_back(m_captured * ++m_launches);
        launches.calls.push_back(m_captured);
        launches.stream.push_back(1);
        launches.thread.push_back(1);
        launches.result.push_back(0);
        passTime(item.host);
    }

    void optimize(nanoseconds time)
    {
        ProcessTrace& trace = process();
        for (std::uint32_t i = 0; i < kOptimizerKernels; ++i) {
            if (m_trouble.kernels) {
                trace.launches.startNs.push_back(kStart + m_now);
                trace.launches.endNs.push_back(kStart + m_now + 1);
                trace.launches.api.push_back(m_trace.text(m_rank, "cudaLaunchKernel"));
                trace.launches.tid.push_back(static_cast<std::uint32_t>(trace.process.pid));
                trace.launches.correlation.push_back(++m_correlation);
                trace.kernels.startNs.push_back(kStart + m_now + 1);
                trace.kernels.endNs.push_back(kStart + m_now + 2);
                trace.kernels.name.push_back(m_trace.text(
                    m_rank, "void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor>()"));
                for (auto* const column : {&trace.kernels.device, &trace.kernels.graph}) {
                    column->push_back(0);
                }
                trace.kernels.stream.push_back(7);
                trace.kernels.correlation.push_back(m_correlation);
                trace.kernels.graphNode.push_back(0);
                trace.kernels.configuration.push_back(0);
            }
            passTime(time / kOptimizerKernels);
        }
    }

    TraceBuilder& m_trace;
    int m_rank;
    JobTrouble m_trouble;
    std::mt19937_64 m_random;
    std::int64_t m_now = 0;
    std::int64_t m_calls = 0;
    std::uint64_t m_captured = 0;
    std::uint64_t m_launches = 0;
    std::uint32_t m_correlation = 0;
    std::map<Group, std::int64_t> m_communicators;
    std::map<std::int64_t, std::int64_t> m_sequences; ///< by communicator
};

/// Of a step whose calls were captured: one launch.
Script launchOf(const Script& script)
{
    ScriptItem launch;
    launch.what = ScriptItem::What::GraphLaunch;
    for (const ScriptItem& item : script) {
        launch.host += item.host;
    }
    return {launch};
}

/// What a job does between two steps now and then.
Script between(const FrameworkPattern& pattern, const JobShape& shape, int step, int rank)
{
    using namespace std::chrono_literals;
    Script script;
    if (pattern.extra == Extra::None || step % shape.every != shape.every - 1) {
        return script;
    }
    ScriptItem item;
    if (pattern.extra == Extra::Logging) {
        item.what = ScriptItem::What::Call;
        item.api = "ncclAllReduce";
        item.bytes = sizeof(float);
        script.push_back(item);
    } else if (pattern.extra == Extra::Checkpoints) {
        item.host = 3s;
        script.push_back(item);
    }
    constexpr int kBatches = 12;
    for (int batch = 0; pattern.extra == Extra::Evaluation && batch < kBatches; ++batch) {
        const Script one = pattern.evaluation(shape, rank);
        script.insert(script.end(), one.begin(), one.end());
    }
    return script;
}

std::size_t countCalls(const Script& script)
{
    return static_cast<std::size_t>(std::ranges::count(script, ScriptItem::What::Call, &ScriptItem::what));
}

} // namespace

FrameworkJob playJob(const FrameworkPattern& pattern, const JobShape& shape, const JobTrouble& trouble,
                     int steps, std::uint64_t seed)
{
    FrameworkJob job;
    job.trace.withoutStepMarks().withoutStepEndSync();
    std::vector<Recording> recordings;
    for (int rank = 0; rank < kRanks; ++rank) {
        recordings.emplace_back(job.trace, rank, trouble, seed);
    }
    for (int rank = 0; rank < kRanks; ++rank) {
        Recording& recording = recordings[static_cast<std::size_t>(rank)];
        if (pattern.graph) {
            recording.capture(pattern.step(shape, rank));
        }
    }
    for (int step = 0; step < steps; ++step) {
        std::int64_t latest = 0;
        for (int rank = 0; rank < kRanks; ++rank) {
            Recording& recording = recordings[static_cast<std::size_t>(rank)];
            const Script script = pattern.step(shape, rank);
            recording.play(pattern.graph ? launchOf(script) : script);
            recording.play(between(pattern, shape, step, rank));
            latest = std::max(latest, recording.now());
        }
        for (Recording& recording : recordings) {
            recording.waitUntil(latest); // somebody reads the loss
        }
    }
    job.trace.steps(
        1, [&](StepBuilder& step) { step.everyRank().hostIdle(nanoseconds(recordings.front().now())); });
    job.truth.stepCalls = pattern.graph ? 1 : countCalls(pattern.step(shape, 0));
    job.truth.steps = static_cast<std::size_t>(steps);
    if (!pattern.graph) {
        const auto cut = [&](int rank) {
            const auto calls = static_cast<double>(countCalls(pattern.step(shape, rank)));
            return std::max<std::size_t>(1, static_cast<std::size_t>(calls * trouble.firstShare));
        };
        for (int rank = 0; rank < kRanks; ++rank) {
            recordings[static_cast<std::size_t>(rank)].lose(cut(rank), cut(rank));
        }
        job.truth.steps -= 2;
    }
    return job;
}

} // namespace ringside::test
