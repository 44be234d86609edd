// SPDX-License-Identifier: Apache-2.0
// Finds ranks that compute longer than the others in every step: unequal work, or unequal GPUs. Rule
// late_rank reports what the others lose by waiting. This rule reports how much longer the compute is, even
// if arrivals could not be matched.
#include "words/compute_imbalance.h"

#include "metrics/experts.h"
#include "rules/shared/support.h"

#include <limits>
#include <map>
#include <optional>
#include <set>

namespace ringside::rules::rule_compute_imbalance {
namespace {

namespace text = words::compute_imbalance;

constexpr Option kOptions[] = {
    {"excess", 0.10, "warn when a rank computes longer than the median of its peers by more than this share"},
    {"least_steps", 0.75, "least share of the analyzed steps in which it computes longer than the median"},
};

/// The ranks of one stage, which are compared with each other.
struct Peers {
    std::vector<const metrics::RankMetrics*> ranks;
    double medianNs = 1;
    std::int64_t meanNs = 0;               ///< compute time of each rank if the work were shared equally
    std::size_t steps = 0;                 ///< of the rank that has the most
    std::vector<std::int64_t> stepMedians; ///< of compute time, once they were asked for
};

/// By stage; without a layout all are of one.
using PeersByStage = std::map<std::optional<std::int64_t>, Peers>;

std::optional<std::int64_t> stageOf(const Context& context, const metrics::RankMetrics& rank)
{
    const model::ParallelLayout& layout = context.run.layout;
    return layout.isKnown() ? layout.places[rank.rank].stage : std::nullopt;
}

void sumUp(Peers& peers)
{
    std::vector<std::int64_t> medians;
    std::int64_t sum = 0;
    std::int64_t steps = 0;
    for (const metrics::RankMetrics* rank : peers.ranks) {
        medians.push_back(rank->median.computeNs);
        sum = model::addCapped(sum, rank->total.computeNs);
        steps += static_cast<std::int64_t>(rank->steps.size());
        peers.steps = std::max(peers.steps, rank->steps.size());
    }
    peers.medianNs = static_cast<double>(std::max<std::int64_t>(1, model::median(std::move(medians))));
    peers.meanNs = sum / std::max<std::int64_t>(1, steps);
}

PeersByStage peersByStage(const Context& context)
{
    PeersByStage stages;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        stages[stageOf(context, rank)].ranks.push_back(&rank);
    }
    for (auto& [stage, peers] : stages) {
        sumUp(peers);
    }
    return stages;
}

const std::vector<std::int64_t>& stepMediansOf(Peers& peers)
{
    for (std::size_t step = peers.stepMedians.size(); step < peers.steps; ++step) {
        std::vector<std::int64_t> times;
        for (const metrics::RankMetrics* rank : peers.ranks) {
            if (step < rank->steps.size()) {
                times.push_back(rank->steps[step].computeNs);
            }
        }
        peers.stepMedians.push_back(model::median(std::move(times)));
    }
    return peers.stepMedians;
}

/// Returns in how many of its steps a rank computes longer than the median of itself and its peers.
std::size_t longerIn(Peers& peers, const metrics::RankMetrics& rank)
{
    const std::vector<std::int64_t>& medians = stepMediansOf(peers);
    std::size_t count = 0;
    for (std::size_t step = 0; step < rank.steps.size(); ++step) {
        count += rank.steps[step].computeNs > medians[step] ? 1 : 0;
    }
    return count;
}

/// Returns true if all of these ranks have unevenly filled experts, on which expert_imbalance reports.
bool isOfExperts(const Context& context, const std::vector<std::int64_t>& ranks)
{
    const metrics::ExpertFigures experts = metrics::expertsOf(context.run, context.figures);
    std::set<std::int64_t> ofExperts;
    for (const std::size_t index : experts.ranks) {
        ofExperts.insert(context.run.ranks[index].rank);
    }
    return experts.areUneven(metrics::kUnevenExperts) &&
           std::ranges::all_of(ranks, [&](std::int64_t rank) { return ofExperts.contains(rank); });
}

/// Returns how long a step of the other ranks waits, ns, which is all that equal compute can save. No limit
/// if waiting is not known.
std::int64_t waitOfOthers(const Context& context, const std::vector<std::int64_t>& ranks)
{
    const std::set<std::int64_t> late(ranks.begin(), ranks.end());
    const std::int64_t stepNs = context.figures.stepNs(); // of all ranks: not for each of them
    std::vector<std::int64_t> waits;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        if (!late.contains(context.rankOf(rank).rank)) {
            waits.push_back(ofAStep(stepNs, rank, rank.total.waitDelayNs));
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
    PeersByStage stages = peersByStage(context);
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        Peers& peers = stages[stageOf(context, rank)];
        const double excess = static_cast<double>(rank.median.computeNs) / peers.medianNs - 1.0;
        if (excess <= context.option("excess")) {
            continue;
        }
        const std::size_t longer = longerIn(peers, rank);
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
