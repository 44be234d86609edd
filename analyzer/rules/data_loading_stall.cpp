// SPDX-License-Identifier: Apache-2.0
// Finds GPUs that are idle because the next batch is not ready: idle time while the host is inside a data
// loading range.
#include "rules/shared/support.h"
#include "whatif/changes.h"

#include <unordered_set>

namespace ringside::rules::rule_data_loading_stall {
namespace {

constexpr Option kOptions[] = {
    {"share", 0.05, "warn above this share of the step idle for data"},
};

bool anyDataRange(const Context& context)
{
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        const trace::ProcessTrace& process = context.run.processOf(context.rankOf(rank));
        // A trace may hold millions of ranges with few distinct names.
        std::unordered_set<trace::StringId> seen;
        for (const trace::RangeRow& range : process.ranges) {
            if (seen.insert(range.name).second && metrics::isDataLoadingRange(process.text(range.name))) {
                return true;
            }
        }
    }
    return false;
}

Outcome run(const Context& context)
{
    if (!anyDataRange(context)) {
        return NotApplicable{
            "needs NVTX ranges around data loading (names that contain \"data\" or \"dataloader\")"};
    }
    Finding finding;
    double worst = 0;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        const std::int64_t stalled = rank.idle.of(metrics::IdleClass::DataLoading);
        const double share = rank.total.share(stalled);
        if (share <= context.option("share")) {
            continue;
        }
        worst = std::max(worst, share);
        const std::int64_t cost = ofAStep(context, rank, stalled);
        finding.costNsPerStep = std::max(finding.costNsPerStep.value_or(0), cost);
        finding.ranks.push_back(context.rankOf(rank).rank);
        finding.evidence.push_back(
            evidence(context.rankOf(rank),
                     rank.idle.longest[static_cast<std::size_t>(metrics::IdleClass::DataLoading)],
                     "longest stall for data"));
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Data;
    finding.title = fmt::format("GPUs wait for data during up to {} of the step", percent(worst));
    finding.settings = {"num_workers", "prefetch_factor", "pin_memory"};
    finding.figures = {{"data_idle_share", Unit::Share, worst, context.option("share")}};
    finding.advice = "Raise the DataLoader's `num_workers`, then `prefetch_factor`; set `pin_memory=True` "
                     "and `persistent_workers=True`; keep the data set on local disks, sharded by rank.";
    return std::vector<Finding>{finding};
}

/// Replays the run with data that is always ready.
std::vector<whatif::Changes> cures(const Context& /*context*/, const Finding& /*finding*/)
{
    return {{.noDataStalls = true}};
}

} // namespace

RINGSIDE_RULE(
    data_loading_stall, .title = "GPUs wait for data", .needs = "device and nvtx", .options = kOptions,
    .run = run, .needsDevice = true,
    .help = "Idle device time, nothing queued, while the host is inside a range named for data loading.",
    .inferenceAdvice = "The GPUs wait for their input: prepare requests (tokens, images) ahead and on other "
                       "threads, and copy them from "
                       "pinned memory.",
    .partOf = {"late_rank", "gpu_utilization_low"}, .cures = cures);

} // namespace ringside::rules::rule_data_loading_stall
