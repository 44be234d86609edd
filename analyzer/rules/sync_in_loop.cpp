// SPDX-License-Identifier: Apache-2.0
// The host waits for the GPU in every step and launches nothing meanwhile, so that the GPU runs dry
// afterwards. The cost is the idle time that follows such a call, not the time spent in it: waiting for a
// busy GPU costs nothing by itself.
#include "rules/support.h"

namespace ringside::rules {
namespace {

constexpr Option kOptions[] = {
    {"calls_per_step", 1.0, "at least this many blocking calls a step"},
    {"cost_share", 0.005, "say nothing while the idle time after them is below this share of the step"},
};

Outcome run(const Context& context)
{
    if (context.figures.ranks.empty()) {
        return kNeedsDevice;
    }
    Finding finding;
    double most = 0;
    std::string function;
    double worst = 0;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        const auto steps = static_cast<std::int64_t>(rank.steps.size());
        const double calls = static_cast<double>(rank.blocking.count) / static_cast<double>(steps);
        const std::int64_t idle = rank.idle.of(metrics::IdleClass::Synchronization);
        if (calls < context.option("calls_per_step") ||
            rank.total.share(idle) < context.option("cost_share")) {
            continue;
        }
        function = calls > most ? rank.blocking.commonest : function;
        most = std::max(most, calls);
        worst = std::max(worst, rank.total.share(idle));
        finding.costNsPerStep = std::max(finding.costNsPerStep.value_or(0), idle / steps);
        finding.ranks.push_back(context.rankOf(rank).rank);
        finding.evidence.push_back(
            evidence(context.rankOf(rank), rank.blocking.longest, "longest blocking call"));
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Host;
    finding.partOf = {"gpu_utilization_low"};
    finding.title =
        fmt::format("The host waits for the GPU {:.1f} times a step, mostly in {}", most, function);
    finding.settings = {"CUDA_LAUNCH_BLOCKING"};
    finding.figures = {{"blocking_calls_per_step", Unit::Count, most, context.option("calls_per_step")},
                       {"idle_after_share", Unit::Share, worst, context.option("cost_share")}};
    finding.advice = "Remove what needs a result on the host in every step: `.item()`, `print(loss)`, "
                     "`.cpu()`, blocking copies "
                     "(use `non_blocking=True` with pinned memory), and CUDA_LAUNCH_BLOCKING=1; log every N "
                     "steps instead.";
    return std::vector<Finding>{finding};
}

} // namespace
} // namespace ringside::rules

RINGSIDE_RULE(sync_in_loop, .title = "Blocking calls in the training loop", .needs = "host and device",
              .options = ringside::rules::kOptions, .run = ringside::rules::run,
              .help = "cudaDeviceSynchronize, cudaStreamSynchronize, cudaEventSynchronize and blocking "
                      "copies within steady "
                      "steps.");
