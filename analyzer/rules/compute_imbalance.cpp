// SPDX-License-Identifier: Apache-2.0
// Finds ranks that compute longer than the others in every step: unequal work, or unequal GPUs. Rule
// late_rank reports what the others lose by waiting. This rule reports how much longer the compute is, even
// if arrivals could not be matched.
#include "rules/shared/support.h"

namespace ringside::rules::rule_compute_imbalance {
namespace {

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

Outcome run(const Context& context)
{
    constexpr std::size_t kLeastRanks = 2;
    if (context.figures.ranks.size() < kLeastRanks) {
        return NotApplicable{"needs the device tier of at least two ranks"};
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
            finding.evidence.push_back(evidence(
                context.rankOf(rank), rank.windows.front(),
                fmt::format("a step; {} of compute in the median one", milliseconds(rank.median.computeNs))));
        }
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    finding.costNsPerStep = std::max<std::int64_t>(0, costNs);
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::LateRank;
    finding.cause = false;
    finding.title =
        fmt::format("Some ranks compute up to {} longer than the median{}{}", percent(most),
                    context.run.layout.sizes.pipeline > 1 ? " of their stage" : "",
                    context.figures.stepCount() > 1
                        ? fmt::format(", in {} of {} steps or more", fewest, context.figures.stepCount())
                        : "");
    finding.settings = {"drop_last"};
    finding.figures = {{"compute_excess", Unit::Share, most, context.option("excess")}};
    finding.advice = "Compare the work of these ranks (layers of a pipeline, experts, samples per rank) and "
                     "their GPUs (model, clocks: see clock_throttling). Move the process to another GPU: if "
                     "the excess stays with the rank, move work away from it; else the GPU is slow.";
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(compute_imbalance, .title = "Some ranks always compute longer", .needs = "device",
              .options = kOptions, .run = run, .needsDevice = true,
              .help =
                  "A rank's median compute time of a step over the median of all ranks, or of its stage of "
                  "a pipeline. The cost is the longest above the mean: what equal shares would save.",
              .comparesRanks = true, .partOf = {"late_rank", "expert_imbalance", "exposed_communication"});

} // namespace ringside::rules::rule_compute_imbalance
