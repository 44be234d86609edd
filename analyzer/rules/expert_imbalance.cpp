// SPDX-License-Identifier: Apache-2.0
// Finds ranks whose experts get more tokens than those of others. Every all-to-all waits for the fullest
// experts.
#include "metrics/experts.h"
#include "rules/shared/origins.h"

namespace ringside::rules::rule_expert_imbalance {
namespace {

constexpr Option kOptions[] = {
    {"excess", metrics::kUnevenExperts,
     "warn when the slowest rank of a group of experts computes longer than the group's mean by more than "
     "this share, summed over the layers of a step"},
};

/// Returns true if the same rank has the fullest experts in most steps.
bool isSteady(const metrics::ExpertFigures& experts)
{
    return 2 * experts.fullestOfSteps > experts.steps;
}

std::string whoIsFullest(const Context& context, const metrics::ExpertFigures& experts)
{
    return fmt::format("rank {}{} in {} of {} steps", context.run.ranks[experts.fullest].rank,
                       placeText(context, experts.fullest), experts.fullestOfSteps, experts.steps);
}

Finding describe(const Context& context, const metrics::ExpertFigures& experts)
{
    Finding finding;
    finding.costNsPerStep = experts.costNs;
    finding.severity = severityByCost(context, experts.costNs);
    finding.limit = Limit::Compute;
    if (isSteady(experts)) {
        finding.ranks = {context.run.ranks[experts.fullest].rank};
    }
    finding.title =
        fmt::format("The fullest experts of a layer compute {} longer than the mean of the {} ranks that "
                    "share them; {}: {}",
                    percent(experts.excess), experts.ranks.size(),
                    isSteady(experts) ? "it is mostly the same rank" : "it is not always the same rank",
                    whoIsFullest(context, experts));
    finding.figures = {{"expert_excess", Unit::Share, experts.excess, context.option("excess")},
                       {"other_excess", Unit::Share, experts.otherExcess, {}},
                       {"fullest_of_steps", Unit::Count, static_cast<double>(experts.fullestOfSteps), {}}};
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        if (rank.rank == experts.fullest) {
            finding.evidence = {evidence(context.rankOf(rank), rank.windows.front(),
                                         "a step of the rank whose experts are fullest most often")};
        }
    }
    finding.advice = isSteady(experts)
                         ? "Spread its experts over other ranks, or replicate the popular ones. Then tune "
                           "the router: a stronger balancing loss, a lower capacity factor."
                         : "Balance the router: a stronger balancing loss or bias, a lower capacity factor, "
                           "larger batches. Dropping tokens limits the fullest expert.";
    return finding;
}

Outcome run(const Context& context)
{
    const metrics::ExpertFigures experts = metrics::expertsOf(context.run, context.figures);
    if (experts.ranks.empty()) {
        return NotApplicable{
            "needs experts on several ranks: all-to-alls with device times of all their ranks"};
    }
    if (!experts.areUneven(context.option("excess"))) {
        return std::vector<Finding>{};
    }
    return std::vector<Finding>{describe(context, experts)};
}

} // namespace

RINGSIDE_RULE(expert_imbalance, .title = "Some experts get more tokens than others",
              .needs = "device, on all ranks", .options = kOptions, .run = run, .needsDevice = true,
              .help =
                  "Compute between the all-to-all that brings tokens and the one that takes them back: the "
                  "longest of a group's ranks above their mean, summed over layers. Only where the work "
                  "between the layers' experts is at least twice as even, else a rank is slow in "
                  "everything. The cost is that sum.",
              .partOf = {"exposed_communication"});

} // namespace ringside::rules::rule_expert_imbalance
