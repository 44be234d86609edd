// SPDX-License-Identifier: Apache-2.0
// Finds ranks that compute longer than the others in every step: unequal work, or unequal GPUs. Rule
// late_rank reports what the others lose by waiting. This rule reports how much longer the compute is, even
// if arrivals could not be matched.
#include "words/compute_imbalance.h"

#include "metrics/experts.h"
#include "rules/shared/support.h"

#include <limits>

namespace ringside::rules::rule_compute_imbalance {
namespace {

namespace text = words::compute_imbalance;

constexpr Option kOptions[] = {
    {"excess", 0.10, "warn when a rank computes longer than the median of its peers by more than this share"},
    {"least_steps", 0.75, "least share of the analyzed steps in which it computes longer than the median"},
};

/// Compute times of a rank and its peers.
struct PeerCompute {
    double medianNs = 1;
    std::int64_t meanNs = 0; ///< compute time of each rank if the work were shared equally
};

PeerCompute peerCompute(const Context& context, const metrics::RankMetrics& rank)
{
    std::vector<std::int64_t> medians;
    std::int64_t sum = 0;
    std::int64_t steps = 0;
    for (const metrics::RankMetrics& other : context.figures.ranks) {
        if (other.rank == rank.rank || context.run.layout.arePeers(rank.rank, other.rank)) {
            medians.push_back(other.median.computeNs);
            sum = model::addCapped(sum, other.total.computeNs);
            steps += static_cast<std::int64_t>(other.steps.size());
        }
    }
    return {static_cast<double>(std::max<std::int64_t>(1, model::median(std::move(medians)))),
            sum / std::max<std::int64_t>(1, steps)};
}

/// Returns in how many of its steps a rank computes longer than the median of itself and its peers.
std::size_t longerIn(const Context& context, const metrics::RankMetrics& rank)
{
    std::size_t count = 0;
    for (std::size_t step = 0; step < rank.steps.size(); ++step) {
        std::vector<std::int64_t> times;
        for (const metrics::RankMetrics& other : context.figures.ranks) {
            const bool compared =
                other.rank == rank.rank || context.run.layout.arePeers(rank.rank, other.rank);
            if (compared && step < other.steps.size()) {
                times.push_back(other.steps[step].computeNs);
            }
        }
        count += rank.steps[step].computeNs > model::median(std::move(times)) ? 1 : 0;
    }
    return count;
}

/// Returns true if all of these ranks have unevenly filled experts, on which expert_imbalance reports.
bool isOfExperts(const Context& context, const std::vector<std::int64_t>& ranks)
{
    const metrics::ExpertFigures experts = metrics::expertsOf(context.run, context.figures);
    return experts.areUneven(metrics::kUnevenExperts) && std::ranges::all_of(ranks, [&](std::int64_t rank) {
               return std::ranges::any_of(
                   experts.ranks, [&](std::size_t index) { return context.run.ranks[index].rank == rank; });
           });
}

/// Returns how long a step of the other ranks waits, ns, which is all that equal compute can save. No limit
/// if waiting is not known.
std::int64_t waitOfOthers(const Context& context, const std::vector<std::int64_t>& ranks)
{
    std::vector<std::int64_t> waits;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        if (std::ranges::find(ranks, context.rankOf(rank).rank) == ranks.end()) {
            waits.push_back(ofAStep(context, rank, rank.total.waitDelayNs));
        }
    }
    return context.figures.waitsKnown() && !waits.empty() ? model::median(std::move(waits))
                                                          : std::numeric_limits<std::int64_t>::max();
}

Outcome run(const Context& context)
{
    constexpr std::size_t kLeastRanks = 2;
    if (context.figures.ranks.size() < kLeastRanks) {
        return NotApplicable{text::needs_two};
    }
    Finding finding;
    double most = 0;
    std::size_t fewest = context.figures.stepCount();
    std::int64_t costNs = 0;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        const PeerCompute peers = peerCompute(context, rank);
        const double excess = static_cast<double>(rank.median.computeNs) / peers.medianNs - 1.0;
        if (excess <= context.option("excess")) {
            continue;
        }
        const std::size_t longer = longerIn(context, rank);
        if (static_cast<double>(longer) >=
            context.option("least_steps") * static_cast<double>(rank.steps.size())) {
            fewest = std::min(fewest, longer);
            most = std::max(most, excess);
            costNs = std::max(costNs, rank.median.computeNs - peers.meanNs);
            finding.ranks.push_back(context.rankOf(rank).rank);
            finding.evidence.push_back(
                evidence(context.rankOf(rank), rank.windows.front(),
                         say(text::median_step, {{"compute", rank.median.computeNs}})));
        }
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    finding.costNsPerStep = std::clamp<std::int64_t>(costNs, 0, waitOfOthers(context, finding.ranks));
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::LateRank;
    // Where waiting is known, late_rank names who is waited for, and this is the same loss.
    finding.cause = !context.figures.waitsKnown() && !isOfExperts(context, finding.ranks);
    const std::size_t steps = context.figures.stepCount();
    finding.title = say(
        text::title,
        {{"ranks", finding.ranks},
         {"excess", most},
         {"of_stage", context.run.layout.sizes.pipeline > 1 ? say(text::of_stage, {{"ranks", finding.ranks}})
                                                            : words::Text()},
         {"often", steps > 1 ? say(text::often, {{"longer", fewest}, {"steps", steps}}) : words::Text()}});
    finding.settings = {"drop_last"};
    finding.figures = {{"compute_excess", Unit::Share, most, context.option("excess")}};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(compute_imbalance, .title = text::heading, .needs = {{"device"}}, .options = kOptions,
              .run = run, .needsDevice = true, .help = text::help, .comparesRanks = true,
              .partOf = {"late_rank", "clock_throttling", "expert_imbalance", "exposed_communication"});

} // namespace ringside::rules::rule_compute_imbalance
