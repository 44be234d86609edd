// SPDX-License-Identifier: Apache-2.0
#include "report_kinds.h"

#include "import/open_run.h"
#include "reduce/reduce.h"
#include "support/late_rank_trace.h"
#include "support/nsys_export.h"
#include "support/profiled_job.h"
#include "support/temporary_directory.h"
#include "training_run.h"
#include "usual_runs.h"

#include <ringside/trace/gone.h>

#include <gtest/gtest.h>

#include <fstream>

namespace ringside::test {
namespace {

/// As the demo: one late rank, small buckets, a slow network.
trace::RunTrace demoLike()
{
    TrainingRun run = lateRank(30 * kMillisecond);
    run.buckets.assign(24, 100'000);
    run.bytesPerNs = 1;
    return simulate(run);
}

/// Calls of which no two are alike, in a job without step marks.
trace::RunTrace withoutSteps()
{
    TraceBuilder trace(4);
    int number = 0;
    trace.withoutStepMarks().steps(40, [&](StepBuilder& step) {
        step.everyRank().hostIdle(3ms).compute((1 + number * number % 7) * 1ms);
        step.rank(1).compute(4ms);
        step.allReduce((number + 1) * 1_MiB, {.takes = 1ms});
        ++number;
    });
    return trace.run();
}

trace::RunTrace inference()
{
    TraceBuilder trace(4);
    trace.steps(20, [&](StepBuilder& step) {
        step.everyRank().hostIdle(6ms).compute(2ms, {.kernel = "flash_fwd_splitkv_kernel"}).synchronize();
        step.allReduce(4_MiB, {.takes = 4ms});
        step.everyRank().compute(1ms);
    });
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        const trace::StringId name = trace.text(rank, "step[DECODE bs=8]");
        trace::ProcessTrace& process = trace.process(rank);
        for (const trace::StepRow& step : process.steps) {
            trace::RangeRow& range = process.ranges.emplace_back();
            range.name = name;
            range.startNs = step.startNs;
            range.endNs = step.endNs;
        }
        process.steps.clear();
    }
    return trace.run();
}

/// Rank 2 does not come to the last collective; the others wait for a minute.
trace::RunTrace hanging()
{
    trace::RunTrace run = lateRankTrace(4, 20).run();
    run.processes[2].collectiveCalls.pop_back();
    for (trace::ProcessTrace& process : run.processes) {
        const std::int64_t now = process.collectiveCalls.back().endNs + 60 * kSecond;
        process.process.endNs.reset();
        process.clockSamples.push_back({now, now, std::nullopt, std::nullopt});
    }
    return run;
}

trace::RunTrace killed()
{
    constexpr int kKilled = 9;
    trace::RunTrace run = lateRankTrace(4, 20).run();
    trace::ProcessTrace& process = run.processes[2];
    const std::int64_t endNs = *process.process.endNs;
    process.process.endNs.reset();
    process.settings = trace::goneSettings({endNs + kMillisecond, kKilled});
    return run;
}

/// Each call of a step on a communicator of its own, of the same ranks; sends beside them.
trace::RunTrace manyCommunicators()
{
    constexpr int kCommunicators = 30;
    TraceBuilder trace(2);
    trace.steps(kCommunicators, [](StepBuilder& step) {
        step.everyRank().compute(1ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        trace::ProcessTrace& process = trace.process(rank);
        for (int i = 1; i < kCommunicators; ++i) {
            trace::CommunicatorRow& row = process.communicators.emplace_back(process.communicators.front());
            row.id = 100 + i;
            row.name = 0;
            row.hash += static_cast<std::uint64_t>(i) << 32;
            process.collectiveCalls[static_cast<std::size_t>(i)].communicator = row.id;
        }
        trace::CollectiveCallRow send = process.collectiveCalls.back();
        send.id = 100'000;
        ++send.sequence;
        send.api = trace.text(rank, rank == 0 ? "ncclSend" : "ncclRecv");
        send.bytes = 8_KiB;
        send.peer = 1 - rank;
        process.collectiveCalls.push_back(send);
    }
    return trace.run();
}

/// Summaries of two hosts, without the rows of most steps.
trace::RunTrace summaries()
{
    TemporaryDirectory directory;
    TraceBuilder job = lateRankTrace(4, 60);
    job.host(2, "host1", 5ms, 20).host(3, "host1", 5ms, 20);
    job.write(directory / "run.ringside");
    std::filesystem::create_directory(directory / "summaries");
    for (const reduce::HostRun& host : reduce::hostsOf(directory / "run.ringside")) {
        (void)reduce::reduceHost(host, {directory / "summaries", 10});
    }
    return trace::openRun(directory / "summaries");
}

/// An export of Nsight Systems: two ranks, the second 2 ms late.
trace::RunTrace imported()
{
    TemporaryDirectory directory;
    {
        NsysExport nsys(directory / "export.sqlite", NsysForm::V325, true);
        nsys.sessionStart(1'779'782'330'000'000'000).host("node1");
        for (const int rank : {0, 1}) {
            const std::int64_t pid = NsysExport::kPid + rank;
            nsys.process(pid).ncclRange("ncclCommInitRank", 10, 20,
                                        {.communicator = 77, .ranks = 2, .rank = rank, .device = rank}, pid);
            for (std::int64_t step = 0; step < 10; ++step) {
                const std::int64_t begin = (1 + step * 12) * kMillisecond;
                const std::int64_t computed = begin + (rank == 1 ? 6 : 4) * kMillisecond;
                nsys.range("iteration " + std::to_string(step), begin - kMillisecond / 2,
                           begin + 11 * kMillisecond, pid)
                    .call("cudaLaunchKernel_v7000", 10 * step + 1, begin - 10'000, begin - 5'000, pid)
                    .kernel("ampere_sgemm_128x64_nn", 10 * step + 1, begin, computed, pid, rank)
                    .collective("ncclAllReduce", NsysExport::kAllReduce, 10 * step + 2, computed,
                                begin + 7 * kMillisecond, {.communicator = 77, .bytes = 4U << 20U}, pid,
                                rank);
            }
        }
    }
    importers::Progress progress;
    return importers::openRun({directory / "export.sqlite"}, progress);
}

trace::RunTrace cudaEvents()
{
    TraceBuilder trace(4);
    trace.withCudaEvents().steps(20, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.rank(1).compute(6ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return trace.run();
}

trace::RunTrace damaged()
{
    trace::RunTrace run = lateRankTrace(4, 3).run();
    run.processes.resize(2);
    run.issues.push_back({trace::Issue::UnreadableFile, 1, "host0-3.db: not a database"});
    run.issues.push_back({trace::Issue::TruncatedFile, 2, "host0-4.db: 12 of 40 pages"});
    trace::DropRow& drop = run.processes[0].drops.emplace_back();
    drop.what = "kernels";
    drop.records = 77;
    return run;
}

/// With snapshots of PyTorch's allocator, in one of which free memory is in too small pieces.
trace::RunTrace memory()
{
    constexpr std::int64_t kMi = 1 << 20;
    TraceBuilder job = lateRankTrace(2, 20);
    for (int rank = 0; rank < job.ranks(); ++rank) {
        trace::ProcessTrace& process = job.process(rank);
        const std::int64_t atNs = process.steps.back().startNs;
        process.memoryStates = {
            {1, 0, "snapshot", {}, {}, 50 * kMi, 80 * kMi, 52 * kMi, 53 * kMi, 27 * kMi, 9 * kMi, {}, {}},
            {2, 0, "peak", atNs, 77, (60 + rank) * kMi, 80 * kMi, {}, {}, {}, {}, {}, {}}};
        if (rank == 1) {
            process.memoryStates.push_back({3,
                                            0,
                                            "out_of_memory",
                                            atNs,
                                            {},
                                            50 * kMi,
                                            80 * kMi,
                                            52 * kMi,
                                            53 * kMi,
                                            27 * kMi,
                                            9 * kMi,
                                            20 * kMi,
                                            3 * kMi});
        }
        for (trace::MemoryStateRow& state : process.memoryStates) {
            const trace::StringId forward = job.text(rank, "block.py:40 forward < train.py:9 step");
            process.memoryHolders.push_back({state.id, forward, job.text(rank, "activations"), 40 * kMi, 6});
            process.memoryHolders.push_back({state.id, 0, 0, state.requestedBytes - 40 * kMi, 11});
        }
    }
    return job.run();
}

/// A trace of PyTorch's profiler with shapes, of which a line and a table tell MFU.
trace::RunTrace profiled()
{
    const TemporaryDirectory folder;
    std::ofstream(folder / "rank0.pt.trace.json") << profiledText({});
    importers::Progress progress;
    return importers::openRun({folder / "rank0.pt.trace.json"}, progress);
}

ReportKind kind(std::string name, trace::RunTrace run)
{
    run.path = name + ".ringside";
    return {std::move(name), report::buildReport(std::move(run), {})};
}

} // namespace

const std::vector<ReportKind>& reportKinds()
{
    static const std::vector<ReportKind> kinds = [] {
        TrainingRun host;
        host.deviceTier = false;
        std::vector<ReportKind> all;
        all.push_back(kind("healthy", simulate(healthy())));
        all.push_back(kind("demo", demoLike()));
        all.push_back(kind("many_ranks", lateRankTrace(40, 20).run()));
        all.push_back(kind("without_steps", withoutSteps()));
        all.push_back(kind("inference", inference()));
        all.push_back(kind("hang", hanging()));
        all.push_back(kind("killed", killed()));
        all.push_back(kind("communicators", manyCommunicators()));
        all.push_back(kind("summaries", summaries()));
        all.push_back(kind("imported", imported()));
        all.push_back(kind("cuda_events", cudaEvents()));
        all.push_back(kind("host_only", simulate(host)));
        all.push_back(kind("damaged", damaged()));
        all.push_back(kind("memory", memory()));
        all.push_back(kind("profiled", profiled()));
        return all;
    }();
    return kinds;
}

} // namespace ringside::test
