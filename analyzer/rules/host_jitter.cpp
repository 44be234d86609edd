// SPDX-License-Identifier: Apache-2.0
// Finds runs in which the host of a different rank launches late in each step. No rank is late on average,
// but all ranks wait in every step. If it is always the same rank, see late_rank; if devices compute longer
// instead, see data_skew and compute_jitter; if hosts wait for data, see data_loading_stall.
#include "words/host_jitter.h"

#include "rules/shared/changing_rank.h"

namespace ringside::rules::rule_host_jitter {
namespace {

namespace text = words::host_jitter;

constexpr Option kOptions[] = {
    {"excess", 0.05,
     "warn when the longest idle time of a step is above the mean of its ranks by more than this share of "
     "the step, on average, without the part that is always on the same rank"},
};

/// What the ranks wait for each other in a step and compute does not hide, ns.
std::int64_t waitNs(const Context& context)
{
    return context.figures.waitsKnown()
               ? context.figures.perStep(&metrics::Breakdown::exposedWaitNs)
               : context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs);
}

Finding describe(const Context& context, const metrics::ChangingCompute& changing)
{
    const auto most =
        std::ranges::max_element(changing.longestIn, {}, [](const auto& entry) { return entry.second; });
    const metrics::RankMetrics& worst = context.figures.ranks[changing.worst.rank];
    Finding finding;
    finding.costNsPerStep = std::min<std::int64_t>(std::llround(changing.changingNs()), waitNs(context));
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Host;
    finding.title = say(text::title, {{"rank", most->first},
                                      {"times", most->second},
                                      {"costly", changing.costlySteps},
                                      {"steps", context.figures.stepCount()}});
    finding.figures = {{"idle_excess_share", Unit::Share,
                        shareOfStep(context, std::llround(changing.changingNs())), context.option("excess")}};
    finding.evidence = {evidence(context.rankOf(worst), worst.windows[changing.worst.step], text::longest)};
    finding.doubt = text::not_known;
    finding.advice = text::remedy;
    return finding;
}

Outcome run(const Context& context)
{
    if (const std::optional<NotApplicable> reason = cannotCompareSteps(context)) {
        return *reason;
    }
    const metrics::ChangingCompute changing = metrics::changingIdleOf(context.run, context.figures);
    const bool alwaysOne = changing.longestIn.size() == 1;
    const bool forData = biggestIdleClass(context) == metrics::IdleClass::DataLoading;
    const std::int64_t costNs = std::min<std::int64_t>(std::llround(changing.changingNs()), waitNs(context));
    if (alwaysOne || forData || shareOfStep(context, costNs) <= context.option("excess")) {
        return std::vector<Finding>{};
    }
    return std::vector<Finding>{describe(context, changing)};
}

} // namespace

RINGSIDE_RULE(host_jitter, .title = text::heading, .needs = {{"device"}, ", on all ranks"},
              .options = kOptions, .run = run, .help = text::help, .comparesRanks = true, .ofSteps = true,
              .partOf = {"cpu_contention", "step_time_jitter", "exposed_communication"});

} // namespace ringside::rules::rule_host_jitter
