// SPDX-License-Identifier: Apache-2.0
// Some GPUs do useful work for much more of the time than others, or the same GPU at one time more than at
// another. Useful utilization, because a rank that waits inside a collective looks busy.
#include "rules/support.h"

namespace ringside::rules {
namespace {

constexpr Option kOptions[] = {
    {"spread", 0.15, "warn above this spread or variation of useful utilization (field guides: 15-20 %)"},
    {"problem_spread", 0.20, "a problem above this"},
};

Outcome run(const Context& context)
{
    if (!context.figures.usefulUtilization) {
        return kNeedsDevice;
    }
    const metrics::Spread& useful = *context.figures.usefulUtilization;
    const double largest = std::max({useful.spread, useful.cv, useful.timeStddev});
    if (largest <= context.option("spread")) {
        return std::vector<Finding>{};
    }
    const bool overTime = useful.timeStddev >= std::max(useful.spread, useful.cv);
    const auto step = static_cast<double>(context.figures.perStep(&metrics::Breakdown::stepNs));
    Finding finding;
    finding.severity = largest > context.option("problem_spread") ? Severity::Problem : Severity::Warning;
    finding.limit = Limit::LateRank;
    finding.cause = false;
    finding.title =
        overTime
            ? fmt::format("Useful GPU utilization varies by {} from step to step", percent(useful.timeStddev))
            : fmt::format("Useful GPU utilization differs by {} between ranks", percent(useful.spread));
    finding.costNsPerStep = std::llround((overTime ? useful.timeStddev : useful.max - useful.mean) * step);
    finding.figures = {{"spread", useful.spread, context.option("spread")},
                       {"cv", useful.cv, context.option("spread")},
                       {"time_stddev", useful.timeStddev, context.option("spread")}};
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        if (rank.total.usefulUtilization() == useful.max) {
            finding.ranks.push_back(context.rankOf(rank).rank);
        }
    }
    finding.evidence = worstStep(context, &metrics::Breakdown::waitNs, "waiting");
    finding.advice =
        overTime
            ? "Look at the steps that differ: evaluation, checkpoints, data of different length."
            : "The rank named does more than its share while the others wait for it: see late_rank; give "
              "every rank equal work (data_skew, drop_last, equal sequence lengths).";
    return std::vector<Finding>{finding};
}

} // namespace
} // namespace ringside::rules

RINGSIDE_RULE(gpu_utilization_spread, .title = "GPUs are used unequally", .needs = "device",
              .options = ringside::rules::kOptions, .run = ringside::rules::run,
              .help = "Spread and coefficient of variation of useful utilization across ranks, and its "
                      "standard deviation over "
                      "steps.");
