// SPDX-License-Identifier: Apache-2.0
// Finds idle GPUs with nothing queued because the host has not launched the work yet, although it is neither
// waiting for data nor in a blocking call. The launches themselves, Python, or an optimizer of many small
// kernels limit the run.
#include "words/host_bound.h"

#include "rules/shared/support.h"

namespace ringside::rules::rule_host_bound {
namespace {

namespace text = words::host_bound;

constexpr Option kOptions[] = {
    {"share", 0.10, "warn above this share of the step idle for want of launches"},
};

struct Launching {
    double perStep = 0;
    std::int64_t issueLatencyNs = 0; ///< median time from the start of a launch to the start of its kernel
    double withoutShare = 0;         ///< of all kernels of the rank in the trace: those whose launch is not
};

Launching launchingOf(const Context& context, const metrics::RankMetrics& metrics)
{
    const model::Rank& rank = context.rankOf(metrics);
    const trace::ProcessTrace& process = context.run.processOf(rank);
    const model::LaunchIndex& launches = context.run.launches[rank.process];
    const model::Interval span = analyzedSpan(metrics);
    std::vector<std::int64_t> latencies;
    double all = 0;
    double without = 0;
    for (std::size_t i = 0; i < process.kernels.size(); ++i) {
        if (!rank.owns(process.kernels.device[i])) {
            continue;
        }
        const std::int64_t start = process.kernels.startNs[i];
        const auto row = launches.find(process.kernels.correlation[i]);
        ++all;
        without += row ? 0 : 1;
        if (row && start >= span.start && start < span.end) {
            latencies.push_back(std::max<std::int64_t>(0, start - process.launches.startNs[*row]));
        }
    }
    const double perStep = static_cast<double>(latencies.size()) / metrics.periods;
    return {perStep, model::median(std::move(latencies)), without / std::max(1.0, all)};
}

std::int64_t starvedNs(const metrics::RankMetrics& rank)
{
    return rank.idle.of(metrics::IdleClass::HostBound) + rank.idle.of(metrics::IdleClass::LaunchLatency);
}

Outcome run(const Context& context)
{
    Finding finding;
    const metrics::RankMetrics* worst = nullptr;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        if (rank.total.share(starvedNs(rank)) <= context.option("share") ||
            launchingOf(context, rank).withoutShare >= 1) { // when its kernels were launched is not known
            continue;
        }
        worst = worst == nullptr || starvedNs(rank) > starvedNs(*worst) ? &rank : worst;
        finding.ranks.push_back(context.rankOf(rank).rank);
        finding.evidence.push_back(evidence(
            context.rankOf(rank), rank.idle.longest[static_cast<std::size_t>(metrics::IdleClass::HostBound)],
            text::longest));
    }
    if (worst == nullptr) {
        return std::vector<Finding>{};
    }
    const Launching launching = launchingOf(context, *worst);
    finding.costNsPerStep = ofAStep(context, *worst, starvedNs(*worst));
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Host;
    finding.title =
        say(text::title, {{"starved", worst->total.share(starvedNs(*worst))},
                          {"kernels", launching.perStep},
                          {"latency", launching.issueLatencyNs},
                          {"without", launching.withoutShare > 0
                                          ? say(text::without_launch, {{"share", launching.withoutShare}})
                                          : words::Text()}});
    finding.settings = {"torch.compile", "foreach", "fused"};
    finding.figures = {
        {"starved_share", Unit::Share, worst->total.share(starvedNs(*worst)), context.option("share")},
        {"launches", Unit::Count, launching.perStep, {}, PerPeriod::Yes},
        {"issue_latency_ns", Unit::Ns, static_cast<double>(launching.issueLatencyNs), {}},
        {"without_launch", Unit::Share, launching.withoutShare, {}}};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(host_bound, .title = text::heading, .needs = {{"device"}}, .options = kOptions, .run = run,
              .needsDevice = true, .help = text::help, .inferenceAdvice = text::inference,
              .partOf = {"late_rank", "gpu_utilization_low"});

} // namespace ringside::rules::rule_host_bound
