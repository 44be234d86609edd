// SPDX-License-Identifier: Apache-2.0
// The same ranks compute longer than the others in every step: unequal work, or unequal GPUs. What the others
// lose by it is late_rank's to say; this one gives the reason its size, also where nobody could be matched.
#include "rules/support.h"

namespace ringside::rules::rule_compute_imbalance {
namespace {

constexpr Option kOptions[] = {
    {"excess", 0.10, "warn when a rank computes longer than the median of all by more than this share"},
};

Outcome run(const Context& context)
{
    if (context.figures.ranks.empty()) {
        return kNeedsDevice;
    }
    constexpr std::size_t kLeastRanks = 2;
    if (context.figures.ranks.size() < kLeastRanks) {
        return NotApplicable{"needs the device tier of at least two ranks"};
    }
    std::vector<std::int64_t> all;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        all.push_back(rank.median.computeNs);
    }
    const auto median = static_cast<double>(std::max<std::int64_t>(1, model::median(all)));
    Finding finding;
    double most = 0;
    std::int64_t longest = 0;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        const double excess = static_cast<double>(rank.median.computeNs) / median - 1.0;
        if (excess > context.option("excess")) {
            most = std::max(most, excess);
            longest = std::max(longest, rank.median.computeNs);
            finding.ranks.push_back(context.rankOf(rank).rank);
            finding.evidence.push_back(evidence(
                context.rankOf(rank), rank.windows.front(),
                fmt::format("a step; {} of compute in the median one", milliseconds(rank.median.computeNs))));
        }
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    // Shared out equally, the longest takes no longer than the mean.
    const std::int64_t mean = context.figures.perStep(&metrics::Breakdown::computeNs);
    finding.costNsPerStep = std::max<std::int64_t>(0, longest - mean);
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::LateRank;
    finding.cause = false;
    finding.partOf = {"late_rank", "exposed_communication"};
    finding.title =
        fmt::format("Some ranks compute up to {} longer than the median, in every step", percent(most));
    finding.settings = {"drop_last"};
    finding.figures = {{"compute_excess", Unit::Share, most, context.option("excess")}};
    finding.advice =
        "Compare what these ranks are given (layers of a pipeline, experts, samples a rank) and "
        "what they are (model of GPU, clocks: see clock_throttling); move work from them, or the "
        "process to another GPU: does the excess stay with the rank or with the GPU?";
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(compute_imbalance, .title = "Some ranks always compute longer", .needs = "device",
              .options = kOptions, .run = run,
              .help = "A rank's median compute time of a step over the median of all ranks. The cost is the "
                      "longest above the mean: what equal shares would save.");

} // namespace ringside::rules::rule_compute_imbalance
