// SPDX-License-Identifier: Apache-2.0
// Finds runs in which a different rank computes longest in each step because its batch is the largest
// (sequences of different length, images of different size). No rank is late on average, but all ranks wait
// in every step. A larger batch lengthens the same kernels each time; if different kernels are longer each
// time, see compute_jitter.
#include "words/data_skew.h"

#include "metrics/experts.h"
#include "rules/shared/changing_rank.h"
#include "rules/shared/device_samples.h"
#include "whatif/changes.h"

namespace ringside::rules::rule_data_skew {
namespace {

namespace text = words::data_skew;

constexpr Option kOptions[] = {
    {"excess", 0.05,
     "warn when the longest rank of a step computes longer than the mean of its step by more than this "
     "share, on average, without the part that is always on the same rank (see compute_imbalance)"},
};

bool clocksRecorded(const Context& context)
{
    return std::ranges::all_of(context.figures.ranks, [&](const metrics::RankMetrics& rank) {
        return !gpuSamples(context, context.rankOf(rank), "sm_clock_mhz", analyzedSpan(rank)).empty();
    });
}

words::Text doubtOf(const Context& context, std::optional<double> alike)
{
    return !alike                    ? words::Text(text::not_compared)
           : clocksRecorded(context) ? words::Text()
                                     : words::Text(text::no_clocks);
}

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
    if (alike && *alike < metrics::kSameKernels) {
        return std::vector<Finding>{};
    }
    Finding finding = changingRankFinding(context, changing, alike);
    finding.limit = Limit::Data;
    finding.doubt = doubtOf(context, alike);
    const metrics::ExpertFigures experts = metrics::expertsOf(context.run, context.figures);
    finding.cause = experts.ranks.empty() || !experts.areUneven(metrics::kUnevenExperts);
    finding.partOf = {"exposed_communication"};
    if (!finding.cause) {
        finding.partOf.insert(finding.partOf.begin(), "expert_imbalance");
    }
    finding.title = say(text::title, {{"changes", changingRankTitle(context, changing)}});
    finding.settings = {"batch_sampler"};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

/// Replays the run with equal batches.
std::vector<whatif::Changes> cures(const Context& /*context*/, const Finding& /*finding*/)
{
    return {{.equalBatches = true}};
}

} // namespace

RINGSIDE_RULE(data_skew, .title = text::heading, .needs = "device, on all ranks", .options = kOptions,
              .run = run, .help = text::help, .comparesRanks = true, .ofSteps = true, .ofTraining = true,
              .cures = cures);

} // namespace ringside::rules::rule_data_skew
