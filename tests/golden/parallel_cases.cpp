// SPDX-License-Identifier: Apache-2.0
// Rules about jobs of several process groups: pipelines, experts, and replicas with many kernels a step.
#include "rule_cases.h"
#include "support/parallel_job.h"

namespace ringside::test {
namespace {

TrainingRun played(const ParallelShape& shape, const PlantedFault& fault = {})
{
    TrainingRun run;
    run.afterwards = [shape, fault](trace::RunTrace& trace) {
        trace = playParallelJob(shape, fault).run();
        trace.path = "simulated.ringside";
    };
    return run;
}

/// In each step the host of another rank does nothing for 4 ms.
TrainingRun hostsThatStop()
{
    TrainingRun run;
    run.afterwards = [](trace::RunTrace& trace) {
        TraceBuilder job(4);
        int number = 0;
        job.steps(20, [&](StepBuilder& step) {
            step.rank(number++ * 7 % 4).hostIdle(4ms);
            step.everyRank().compute(8ms);
            step.allReduce(4_MiB, {.takes = 1ms});
        });
        trace = job.run();
        trace.path = "simulated.ringside";
    };
    return run;
}

/// Leaves a job of one process group.
void withoutGroups(TrainingRun& run)
{
    run.afterwards = {};
}

void withOneRank(TrainingRun& run)
{
    run = played({});
}

} // namespace

std::vector<RuleCase> parallelCases()
{
    constexpr ParallelShape kPipeline{.stages = 4, .noise = 0};
    constexpr ParallelShape kExperts{.replicas = 4, .experts = true, .noise = 0};
    constexpr PlantedFault kSlowStage{.what = ParallelFault::SlowStage, .stage = 2, .factor = 1.5};
    constexpr ParallelShape kReplicas{.replicas = 4};
    return {
        {"compute_jitter",
         played(kReplicas, {.what = ParallelFault::Disturbances, .factor = 1.5}),
         played(kReplicas),
         {"compute_jitter.excess=5"},
         {"compute_jitter.excess=-1"},
         withOneRank},
        {"expert_imbalance",
         played(kExperts, {.what = ParallelFault::FullExpert, .rank = 2, .factor = 1.6}),
         played(kExperts),
         {"expert_imbalance.excess=5"},
         {"expert_imbalance.excess=-1"},
         withoutGroups},
        {"host_jitter",
         hostsThatStop(),
         played(kReplicas),
         {"host_jitter.excess=0.9"},
         {"host_jitter.excess=-1"},
         withOneRank},
        {"pipeline_bubble",
         played(kPipeline, kSlowStage),
         played(kPipeline),
         {"pipeline_bubble.times_ideal=10"},
         {"pipeline_bubble.times_ideal=0.1"},
         withoutGroups},
        {"pipeline_stage_imbalance",
         played(kPipeline, kSlowStage),
         played(kPipeline),
         {"pipeline_stage_imbalance.cost_share=0.9"},
         {"pipeline_stage_imbalance.cost_share=-1", "pipeline_stage_imbalance.least_steps=-1"},
         withoutGroups},
    };
}

} // namespace ringside::test
