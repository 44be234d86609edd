// SPDX-License-Identifier: Apache-2.0
// Finds runs in which a different rank computes longest in each step, with different kernels each time.
// Batches of different size would lengthen the same kernels each time, so something disturbs devices or
// hosts.
#include "words/compute_jitter.h"

#include "rules/shared/changing_rank.h"

namespace ringside::rules::rule_compute_jitter {
namespace {

namespace text = words::compute_jitter;

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
    const metrics::BatchGrowth growth = metrics::batchGrowthOf(context.run, context.figures, changing);
    if (growth.isOfBatches().value_or(true)) {
        return std::vector<Finding>{};
    }
    Finding finding = changingRankFinding(context, changing, growth);
    finding.limit = Limit::Compute;
    finding.title = say(text::title, {{"changes", changingRankTitle(context, changing)}});
    finding.doubt = text::not_measured;
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(compute_jitter, .title = text::heading, .needs = {{"device"}, ", on all ranks"},
              .options = kOptions, .run = run, .help = text::help, .comparesRanks = true, .ofSteps = true,
              .partOf = {"cpu_contention", "clock_throttling", "step_time_jitter", "exposed_communication"});

} // namespace ringside::rules::rule_compute_jitter
