// SPDX-License-Identifier: Apache-2.0
#include "rule_cases.h"

namespace ringside::test {
namespace {

constexpr std::uint64_t kKibibyte = 1024;

/// Compute-bound, overlapping, nobody late: no rule has anything to say.
TrainingRun healthy()
{
    return {};
}

TrainingRun slowNetwork()
{
    TrainingRun run;
    run.bytesPerNs = 1;
    return run;
}

TrainingRun lateRank(std::int64_t ns)
{
    TrainingRun run;
    run.lateRank = 2;
    run.lateNs = ns;
    return run;
}

TrainingRun smallBuckets()
{
    TrainingRun run;
    run.buckets.clear();
    for (int i = 0; i < 48; ++i) {
        run.buckets.push_back((i % 3 == 0 ? 512 : 256) * kKibibyte);
    }
    run.latencyNs = 400'000;
    return run;
}

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

} // namespace

std::vector<RuleCase> ruleCases()
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
        {"late_rank",
         lateRank(8 * kMillisecond),
         healthy(),
         {"late_rank.lost_share=0.9"},
         {"late_rank.lost_share=0", "late_rank.chance=1"}},
        {"small_messages",
         smallBuckets(),
         healthy(),
         {"small_messages.min_messages=100"},
         {"small_messages.min_messages=1", "small_messages.min_message_bytes=1e9",
          "small_messages.min_latency_share=0"}},
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
