// SPDX-License-Identifier: Apache-2.0
// Finds GPUs that are idle because the next batch is not ready: idle time while the host is inside a data
// loading range.
#include "words/data_loading_stall.h"

#include "rules/shared/support.h"
#include "whatif/changes.h"

#include <unordered_set>

namespace ringside::rules::rule_data_loading_stall {
namespace {

namespace text = words::data_loading_stall;

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
        return NotApplicable{text::no_ranges};
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
        finding.evidence.push_back(evidence(
            context.rankOf(rank),
            rank.idle.longest[static_cast<std::size_t>(metrics::IdleClass::DataLoading)], text::longest));
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Data;
    finding.title = say(text::title, {{"share", worst}});
    finding.settings = {"num_workers", "prefetch_factor", "pin_memory"};
    finding.figures = {{"data_idle_share", Unit::Share, worst, context.option("share")}};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

/// Replays the run with data that is always ready.
std::vector<whatif::Changes> cures(const Context& /*context*/, const Finding& /*finding*/)
{
    return {{.noDataStalls = true}};
}

} // namespace

RINGSIDE_RULE(data_loading_stall, .title = text::heading, .needs = {{"nvtx", "device"}}, .options = kOptions,
              .run = run, .needsDevice = true, .help = text::help, .inferenceAdvice = text::inference,
              .partOf = {"late_rank", "gpu_utilization_low"}, .cures = cures);

} // namespace ringside::rules::rule_data_loading_stall
