// SPDX-License-Identifier: Apache-2.0
// Finds GPUs that do useful work for much more of the time than others, or more at one time than at another.
// It uses useful utilization, because a rank that waits inside a collective looks busy.
#include "words/gpu_utilization_spread.h"

#include "rules/shared/support.h"
#include "words/step.h"

namespace ringside::rules::rule_gpu_utilization_spread {
namespace {

namespace text = words::gpu_utilization_spread;

constexpr Option kOptions[] = {
    {"spread", 0.15, "warn above this spread or variation of useful utilization (field guides: 15-20 %)"},
    {"problem_spread", 0.20, "a problem above this"},
};

/// Returns what equal work would save in ns per step: the busiest rank's useful time above the mean.
std::int64_t costBetweenRanks(const Context& context, const metrics::Spread& useful)
{
    const auto step = static_cast<double>(context.figures.perStep(&metrics::Breakdown::stepNs));
    return std::llround((useful.max - useful.mean) * step);
}

/// Returns what would be saved in ns per step if no step took longer than the median step.
std::int64_t costOverTime(const Context& context)
{
    const std::int64_t mean = context.figures.perStep(&metrics::Breakdown::stepNs);
    return std::max<std::int64_t>(0, mean - context.figures.stepMedianNs.value_or(mean));
}

/// Returns the limit that belongs to the largest part of the time that is not useful.
Limit limitOverTime(const Context& context)
{
    const std::int64_t idle = context.figures.perStep(&metrics::Breakdown::idleNs);
    if (context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs) > idle) {
        return Limit::Communication;
    }
    return biggestIdleClass(context) == metrics::IdleClass::DataLoading ? Limit::Data : Limit::Host;
}

Outcome run(const Context& context)
{
    if (!context.figures.usefulUtilization) {
        return kNeedsArrivals;
    }
    const metrics::Spread& useful = *context.figures.usefulUtilization;
    const double overSteps = useful.timeStddev.value_or(0); // not known for a single step
    const double largest = std::max({useful.spread, useful.cv, overSteps});
    if (largest <= context.option("spread")) {
        return std::vector<Finding>{};
    }
    const bool overTime = overSteps >= std::max(useful.spread, useful.cv);
    if (!overTime && context.figures.arrivalsMeasured() && context.figures.arrivalsBelowError) {
        return kBelowClockError;
    }
    Finding finding;
    finding.limit = overTime ? limitOverTime(context) : Limit::LateRank;
    finding.cause = false;
    finding.partOf = {"data_loading_stall", "late_rank", "pipeline_stage_imbalance",
                      "expert_imbalance",   "slow_link", "exposed_communication",
                      "gpu_utilization_low"};
    finding.title = overTime
                        ? say(text::over_time, {{"deviation", overSteps}})
                        : say(text::between_ranks, {{"spread", useful.spread}, {"variation", useful.cv}});
    finding.costNsPerStep = overTime ? costOverTime(context) : costBetweenRanks(context, useful);
    finding.severity =
        std::min(largest > context.option("problem_spread") ? Severity::Problem : Severity::Warning,
                 severityByCost(context, *finding.costNsPerStep));
    finding.figures = {{"spread", Unit::Share, useful.spread, context.option("spread")},
                       {"cv", Unit::Share, useful.cv, context.option("spread")}};
    if (useful.timeStddev) {
        finding.figures.push_back({"time_stddev", Unit::Share, *useful.timeStddev, context.option("spread")});
    }
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        if (!overTime && rank.total.usefulUtilization() == useful.max) {
            finding.ranks.push_back(context.rankOf(rank).rank);
        }
    }
    finding.evidence = !overTime && context.figures.arrivalsMeasured()
                           ? worstStep(context, &metrics::Breakdown::waitNs, words::step::waiting)
                           : worstStep(context, &metrics::Breakdown::idleNs, words::step::idle_time);
    finding.advice = overTime ? text::over_time_remedy : text::between_ranks_remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(gpu_utilization_spread, .title = text::heading, .needs = {{"device"}}, .options = kOptions,
              .run = run, .needsDevice = true, .help = text::help, .comparesRanks = true,
              .inferenceAdvice = text::inference);

} // namespace ringside::rules::rule_gpu_utilization_spread
