// SPDX-License-Identifier: Apache-2.0
// Finds runs in which a different rank computes longest in each step because its batch is the largest
// (sequences of different length, images of different size). No rank is late on average, but all ranks wait
// in every step. A larger batch lengthens the same kernels each time, or on all ranks of a replica, or all
// kernels of a micro-batch; if single kernels are longer each time, see compute_jitter. In a pipeline, all
// stages also wait for the longest micro-batch of a step.
#include "words/data_skew.h"

#include "metrics/experts.h"
#include "rules/shared/changing_rank.h"
#include "rules/shared/device_samples.h"
#include "whatif/changes.h"

#include <cmath>

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

/// What batches of different size cost in a step, ns.
struct Skew {
    double ranksNs = 0;  ///< the longest rank above the mean of its step
    double passesNs = 0; ///< waiting of a pipeline's stages for the longest micro-batch
    double times = 0;    ///< the longest micro-batch over the mean one
};

/// Returns the costs above `excess`, a share of a step's compute.
Skew skewOf(const Context& context, const metrics::ChangingCompute& changing)
{
    const double least = context.option("excess") * changing.meanNs;
    const metrics::LongestPass longest = metrics::longestPassOf(context.run, context.figures);
    return {changing.changingNs() > least ? changing.changingNs() : 0,
            longest.waitNs > least ? longest.waitNs : 0, longest.times};
}

/// Whether the growth is that of batches. Replicas of which each has the same work in every step show nothing
/// of the micro-batches within.
std::optional<bool> isOfBatches(const metrics::BatchGrowth& growth, const Skew& skew)
{
    return skew.ranksNs > 0 ? growth.isOfBatches() : growth.isOfMicroBatches();
}

words::Text doubtOf(const Context& context, const metrics::BatchGrowth& growth, const Skew& skew)
{
    if (!isOfBatches(growth, skew)) {
        return text::not_compared;
    }
    if (skew.ranksNs > 0 && growth.ofReplicas) {
        return {}; // GPUs do not slow down together
    }
    return growth.sameKernels.value_or(0) < metrics::kSameKernels ? words::Text(text::by_neighbours)
           : clocksRecorded(context)                              ? words::Text()
                                                                  : words::Text(text::no_clocks);
}

/// Returns the cost: what both save, at most the time that ranks wait.
std::int64_t costOf(const Context& context, const Skew& skew)
{
    if (skew.passesNs <= 0) {
        return std::llround(skew.ranksNs);
    }
    const auto waited = model::addCapped(context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs),
                                         context.figures.perStep(&metrics::Breakdown::idleNs));
    return std::min<std::int64_t>(waited, std::llround(skew.ranksNs + skew.passesNs));
}

Outcome run(const Context& context)
{
    if (const std::optional<NotApplicable> reason = cannotCompareSteps(context)) {
        return *reason;
    }
    const metrics::ChangingCompute changing = metrics::changingComputeOf(context.run, context.figures);
    const Skew skew = skewOf(context, changing);
    if (skew.ranksNs + skew.passesNs <= 0) {
        return std::vector<Finding>{};
    }
    const metrics::BatchGrowth growth = metrics::batchGrowthOf(context.run, context.figures, changing);
    if (!isOfBatches(growth, skew).value_or(true)) {
        return std::vector<Finding>{};
    }
    Finding finding = changingRankFinding(context, changing, growth);
    finding.costNsPerStep = costOf(context, skew);
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Data;
    finding.doubt = doubtOf(context, growth, skew);
    const metrics::ExpertFigures experts = metrics::expertsOf(context.run, context.figures);
    finding.cause = experts.ranks.empty() || !experts.areUneven(metrics::kUnevenExperts);
    finding.partOf = {"exposed_communication"};
    if (!finding.cause) {
        finding.partOf.insert(finding.partOf.begin(), "expert_imbalance");
    }
    finding.title = skew.passesNs > skew.ranksNs
                        ? say(text::title_passes, {{"times", skew.times}})
                        : say(text::title, {{"changes", changingRankTitle(context, changing)}});
    if (skew.passesNs > 0) {
        finding.figures.push_back({"longest_micro_batch", Unit::Ratio, skew.times, {}});
    }
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

RINGSIDE_RULE(data_skew, .title = text::heading, .needs = {{"device"}, ", on all ranks"}, .options = kOptions,
              .run = run, .help = text::help, .comparesRanks = true, .ofSteps = true, .ofTraining = true,
              .cures = cures);

} // namespace ringside::rules::rule_data_skew
