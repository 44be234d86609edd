// SPDX-License-Identifier: Apache-2.0
// Finds runs in which a different rank computes longest in each step, with different kernels each time.
// Batches of different size would lengthen the same kernels each time, so something disturbs devices or
// hosts.
#include "rules/shared/changing_rank.h"

namespace ringside::rules::rule_compute_jitter {
namespace {

constexpr Option kOptions[] = {
    {"excess", 0.05,
     "warn when the longest rank of a step computes longer than the mean of its step by more than this "
     "share, on average, without the part that is always on the same rank (see compute_imbalance)"},
};

Outcome run(const Context& context)
{
    if (const std::optional<NotApplicable> reason = cannotCompareSteps(context)) {
        return *reason;
    }
    const metrics::ChangingCompute changing = metrics::changingComputeOf(context.run, context.figures);
    if (changing.changingShare() <= context.option("excess")) {
        return std::vector<Finding>{};
    }
    const std::optional<double> alike =
        metrics::recurringGrowth(context.run, context.figures, changing.longer);
    if (!alike || *alike >= metrics::kSameKernels) {
        return std::vector<Finding>{};
    }
    Finding finding = changingRankFinding(context, changing, alike);
    finding.limit = Limit::Compute;
    finding.title = changingRankTitle(context, changing) + ": different kernels take longer each time";
    finding.doubt = "what made these kernels longer was not measured";
    finding.advice = "Look for loads that share the devices from time to time: other processes on the GPU, "
                     "communication kernels that take multiprocessors from the compute they overlap, clocks "
                     "that vary. Batches of different size would make the same kernels longer each time.";
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(compute_jitter, .title = "Kernels are disturbed on changing ranks",
              .needs = "device, on all ranks", .options = kOptions, .run = run,
              .help = "As data_skew, but different kernels take longer each time: the cosine between the "
                      "growths of the long steps' kernels is below 0.7. The cost is the longest compute time "
                      "of a step above the mean of its ranks.",
              .comparesRanks = true, .ofSteps = true,
              .partOf = {"cpu_contention", "clock_throttling", "step_time_jitter", "exposed_communication"});

} // namespace ringside::rules::rule_compute_jitter
