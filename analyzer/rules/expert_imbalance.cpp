// SPDX-License-Identifier: Apache-2.0
// Finds ranks whose experts get more tokens than those of others. Every all-to-all waits for the fullest
// experts.
#include "words/expert_imbalance.h"

#include "metrics/experts.h"
#include "rules/shared/origins.h"

namespace ringside::rules::rule_expert_imbalance {
namespace {

namespace text = words::expert_imbalance;

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

Finding describe(const Context& context, const metrics::ExpertFigures& experts)
{
    Finding finding;
    finding.costNsPerStep = experts.costNs;
    finding.severity = severityByCost(context, experts.costNs);
    finding.limit = Limit::Compute;
    if (isSteady(experts)) {
        finding.ranks = {context.run.ranks[experts.fullest].rank};
    }
    finding.title = say(text::title, {{"excess", experts.excess},
                                      {"ranks", experts.ranks.size()},
                                      {"whether", isSteady(experts) ? text::steady : text::changing},
                                      {"rank", context.run.ranks[experts.fullest].rank},
                                      {"place", placeText(context, experts.fullest)},
                                      {"fullest", experts.fullestOfSteps},
                                      {"steps", experts.steps}});
    finding.figures = {{"expert_excess", Unit::Share, experts.excess, context.option("excess")},
                       {"other_excess", Unit::Share, experts.otherExcess, {}},
                       {"fullest_of_steps", Unit::Count, static_cast<double>(experts.fullestOfSteps), {}}};
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        if (rank.rank == experts.fullest) {
            finding.evidence = {evidence(context.rankOf(rank), rank.windows.front(), text::fullest_step)};
        }
    }
    finding.advice = isSteady(experts) ? text::steady_remedy : text::changing_remedy;
    return finding;
}

Outcome run(const Context& context)
{
    const metrics::ExpertFigures experts = metrics::expertsOf(context.run, context.figures);
    if (experts.ranks.empty()) {
        return NotApplicable{text::no_experts};
    }
    if (!experts.areUneven(context.option("excess"))) {
        return std::vector<Finding>{};
    }
    return std::vector<Finding>{describe(context, experts)};
}

} // namespace

RINGSIDE_RULE(expert_imbalance, .title = text::heading, .needs = {{"device"}, ", on all ranks"},
              .options = kOptions, .run = run, .needsDevice = true, .help = text::help,
              .partOf = {"exposed_communication"});

} // namespace ringside::rules::rule_expert_imbalance
