// SPDX-License-Identifier: Apache-2.0
// Rules about where a step's time goes.
#include "rule_cases.h"
#include "sampled_rows.h"
#include "usual_runs.h"

namespace ringside::test {
namespace {

TrainingRun slowLoader()
{
    TrainingRun run;
    run.dataNs = 30 * kMillisecond;
    return run;
}

TrainingRun synchronized()
{
    TrainingRun run;
    run.synchronize = true;
    run.hostNs = 2 * kMillisecond;
    run.dataNs = 0;
    return run;
}

TrainingRun hostBound()
{
    TrainingRun run;
    run.hostNs = 30 * kMillisecond;
    return run;
}

TrainingRun evaluating()
{
    TrainingRun run;
    run.extraNs = [](std::int64_t step, int) { return step % 6 == 0 ? 20 * kMillisecond : 1000; };
    return run;
}

/// Steps of the device tier's window are longer.
TrainingRun inWindow(std::int64_t extraNs)
{
    constexpr std::int64_t kLast = 24;
    TrainingRun run;
    run.steps = 48;
    run.synchronize = true;
    run.jitterNs = 10'000;
    run.extraNs = [extraNs](std::int64_t step, int) { return step <= kLast ? extraNs : 1000; };
    run.edit = windowUntil(kLast);
    return run;
}

/// NCCL tells what its kernels wait for at their start: the late rank for nothing, the others for it.
void addPhases(trace::RunTrace& run)
{
    constexpr std::size_t kLate = 2;
    constexpr std::int64_t kSyncNs = 5'000; ///< as long as a rank waits at least
    for (std::size_t rank = 0; rank < run.processes.size(); ++rank) {
        trace::ProcessTrace& process = run.processes[rank];
        for (std::size_t i = 0; i < process.kernels.size(); ++i) {
            if (!process.text(process.kernels.name[i]).starts_with("nccl")) {
                continue;
            }
            const std::int64_t start = process.kernels.startNs[i];
            const std::int64_t half = (process.kernels.endNs[i] - start) / 2;
            process.kernelPhases.startNs.push_back(start);
            process.kernelPhases.endNs.push_back(start + (rank == kLate ? kSyncNs : half));
            process.kernelPhases.operation.push_back(i + 1);
            process.kernelPhases.channel.push_back(0);
            process.kernelPhases.phase.push_back(trace::kWaitsForAll);
            process.kernelPhases.device.push_back(process.kernels.device[i]);
            process.kernelPhases.uncertaintyNs.push_back(0);
        }
    }
}

TrainingRun lateRankWithPhases()
{
    TrainingRun run = lateRank(8 * kMillisecond);
    run.afterwards = addPhases;
    return run;
}

} // namespace

std::vector<RuleCase> timeCases()
{
    return {
        {"comm_compute_ratio_high",
         slowNetwork(),
         healthy(),
         {"comm_compute_ratio_high.ratio=2"},
         {"comm_compute_ratio_high.ratio=0.001"}},
        {"comm_share_high",
         slowNetwork(),
         healthy(),
         {"comm_share_high.share=0.9"},
         {"comm_share_high.share=0.001"}},
        {"data_loading_stall",
         slowLoader(),
         healthy(),
         {"data_loading_stall.share=0.9"},
         {"data_loading_stall.share=-1"}},
        {"exposed_communication",
         slowNetwork(),
         healthy(),
         {"exposed_communication.share=0.9"},
         {"exposed_communication.share=0.001"}},
        {"gpu_utilization_low",
         hostBound(),
         healthy(),
         {"gpu_utilization_low.utilization=0.1"},
         {"gpu_utilization_low.utilization=1.01"}},
        {"gpu_utilization_spread",
         lateRank(10 * kMillisecond),
         healthy(),
         {"gpu_utilization_spread.spread=0.9"},
         {"gpu_utilization_spread.spread=0"}},
        {"host_bound", hostBound(), healthy(), {"host_bound.share=0.9"}, {"host_bound.share=-1"}},
        {"late_rank",
         lateRankWithPhases(),
         healthy(),
         {"late_rank.lost_share=0.9"},
         {"late_rank.lost_share=0", "late_rank.chance=1"}},
        {"profiler_overhead",
         inWindow(2 * kMillisecond),
         inWindow(100'000),
         {"profiler_overhead.share=0.9"},
         {"profiler_overhead.share=0.001"},
         withoutEdit},
        {"step_time_jitter",
         evaluating(),
         healthy(),
         {"step_time_jitter.ratio=10"},
         {"step_time_jitter.ratio=0.5"}},
        {"sync_in_loop",
         synchronized(),
         healthy(),
         {"sync_in_loop.cost_share=0.9"},
         {"sync_in_loop.cost_share=0", "sync_in_loop.calls_per_step=0"}},
        {"wait_dominates",
         lateRank(10 * kMillisecond),
         healthy(),
         {"wait_dominates.share=0.99"},
         {"wait_dominates.share=0", "wait_dominates.min_step_share=0"}},
    };
}

} // namespace ringside::test
