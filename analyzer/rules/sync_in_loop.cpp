// SPDX-License-Identifier: Apache-2.0
// Finds blocking calls of the host in every step. While it waits for the GPU it launches nothing, so the GPU
// is idle afterwards, or communication runs alone that later compute could have hidden. The cost is that
// time, not the time in the call: waiting for a busy GPU costs nothing by itself.
#include "words/sync_in_loop.h"

#include "rules/shared/support.h"
#include "whatif/changes.h"

namespace ringside::rules::rule_sync_in_loop {
namespace {

namespace text = words::sync_in_loop;

constexpr Option kOptions[] = {
    {"calls_per_step", 1.0, "fewest blocking calls per step"},
    {"cost_share", 0.005, "and their cost is at least this share of the step"},
};

struct Worst {
    double calls = 0;
    double idleShare = 0;
    double overlapShare = 0;
    std::string function;
};

void add(const Context& context, const metrics::RankMetrics& rank, Finding& finding, Worst& worst)
{
    const double calls = static_cast<double>(rank.blocking.count) / rank.periods;
    const std::int64_t idle = rank.idle.of(metrics::IdleClass::Synchronization);
    const std::int64_t cost = model::addCapped(idle, rank.blocking.overlapLostNs);
    if (calls < context.option("calls_per_step") || rank.total.share(cost) < context.option("cost_share")) {
        return;
    }
    worst.function = calls > worst.calls ? rank.blocking.commonest : worst.function;
    worst.calls = std::max(worst.calls, calls);
    worst.idleShare = std::max(worst.idleShare, rank.total.share(idle));
    worst.overlapShare = std::max(worst.overlapShare, rank.total.share(rank.blocking.overlapLostNs));
    finding.costNsPerStep = std::max(finding.costNsPerStep.value_or(0), ofAStep(context, rank, cost));
    finding.ranks.push_back(context.rankOf(rank).rank);
    const bool preventsOverlap = rank.blocking.overlapLostNs > idle;
    finding.evidence.push_back(
        evidence(context.rankOf(rank), preventsOverlap ? rank.blocking.overlapLost : rank.blocking.longest,
                 preventsOverlap ? say(text::alone, {{"call", rank.blocking.commonest}}) : text::longest));
}

Outcome run(const Context& context)
{
    Finding finding;
    Worst worst;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        add(context, rank, finding, worst);
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    const bool preventsOverlap = worst.overlapShare > worst.idleShare;
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Host;
    finding.partOf = {"late_rank", preventsOverlap ? "exposed_communication" : "gpu_utilization_low",
                      preventsOverlap ? "gpu_utilization_low" : "exposed_communication"};
    finding.title = say(text::title, {{"calls", worst.calls}, {"call", worst.function}});
    if (preventsOverlap && !context.inference()) {
        finding.title += text::between;
    }
    finding.settings = {"CUDA_LAUNCH_BLOCKING"};
    finding.figures = {
        {"blocking_calls", Unit::Count, worst.calls, context.option("calls_per_step"), PerPeriod::Yes},
        {"idle_after_share", Unit::Share, worst.idleShare, context.option("cost_share")},
        {"overlap_lost_share", Unit::Share, worst.overlapShare, context.option("cost_share")}};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

/// Replays the run without blocking calls.
std::vector<whatif::Changes> cures(const Context& /*context*/, const Finding& /*finding*/)
{
    return {{.noBlockingCalls = true}};
}

} // namespace

RINGSIDE_RULE(sync_in_loop, .title = text::heading, .needs = {{"host", "device"}}, .options = kOptions,
              .run = run, .needsDevice = true, .help = text::help, .inferenceAdvice = text::inference,
              .cures = cures);

} // namespace ringside::rules::rule_sync_in_loop
