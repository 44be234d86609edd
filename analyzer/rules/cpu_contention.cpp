// SPDX-License-Identifier: Apache-2.0
// Finds threads that launch GPU work but wait for a CPU, or that the container's CPU quota stops.
#include "words/cpu_contention.h"

#include "rules/shared/device_samples.h"

namespace ringside::rules::rule_cpu_contention {
namespace {

namespace text = words::cpu_contention;

constexpr Option kOptions[] = {
    {"delay_share", 0.05, "warn when recording threads wait for a CPU for more than this share of the time"},
    {"throttled_share", 0.01, "or the control group's CPU quota stops the process for more than this share"},
};

struct Contention {
    std::optional<std::int64_t> delayNs;     ///< over the analyzed steps
    std::optional<std::int64_t> throttledNs; ///< of all threads together
};

Contention contentionOf(const Context& context, const metrics::RankMetrics& metrics)
{
    const trace::ProcessTrace& process = context.run.processOf(context.rankOf(metrics));
    const model::Interval span = analyzedSpan(metrics);
    Contention result;
    result.delayNs = metrics::gainIn(process, {"process", "recording threads", "run_delay_ns"}, span);
    if (const auto us = metrics::gainIn(process, {"cgroup", "cgroup", "throttled_us"}, span)) {
        constexpr std::int64_t kNsPerUs = 1000;
        result.throttledNs = *us * kNsPerUs;
    }
    return result;
}

/// Raises `largest` to the rank's share of time, and returns this share. Returns 0 if the rank was not
/// sampled.
double raiseLargestShare(std::optional<double>& largest, const metrics::RankMetrics& rank,
                         std::optional<std::int64_t> ns)
{
    if (!ns) {
        return 0;
    }
    const double share = rank.total.share(*ns);
    largest = std::max(largest.value_or(share), share);
    return share;
}

/// Sets title, severity, figures and advice once ranks, cost and evidence are known.
void describe(const Context& context, std::optional<double> delay, std::optional<double> throttled,
              Finding& finding)
{
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Host;
    finding.title = throttled > context.option("throttled_share") ? say(text::quota, {{"share", *throttled}})
                                                                  : say(text::waits, {{"share", *delay}});
    finding.settings = {"OMP_NUM_THREADS", "num_workers"};
    if (delay) {
        finding.figures.push_back({"run_delay_share", Unit::Share, *delay, context.option("delay_share")});
    }
    if (throttled) {
        finding.figures.push_back(
            {"throttled_share", Unit::Share, *throttled, context.option("throttled_share")});
    }
    finding.advice = text::remedy;
}

Outcome run(const Context& context)
{
    Finding finding;
    std::optional<double> delay; // null if no rank was sampled
    std::optional<double> throttled;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        const Contention contention = contentionOf(context, rank);
        const bool waits = raiseLargestShare(delay, rank, contention.delayNs) > context.option("delay_share");
        const bool stops =
            raiseLargestShare(throttled, rank, contention.throttledNs) > context.option("throttled_share");
        if (!waits && !stops) {
            continue;
        }
        // The cost is at most the GPU's idle time for want of launches or data.
        const std::int64_t idle = rank.idle.of(metrics::IdleClass::HostBound) +
                                  rank.idle.of(metrics::IdleClass::LaunchLatency) +
                                  rank.idle.of(metrics::IdleClass::DataLoading);
        const std::int64_t waited =
            std::max(contention.delayNs.value_or(0), contention.throttledNs.value_or(0));
        finding.costNsPerStep =
            std::max(finding.costNsPerStep.value_or(0), ofAStep(context, rank, std::min(waited, idle)));
        finding.ranks.push_back(context.rankOf(rank).rank);
        finding.evidence.push_back(evidence(context.rankOf(rank), analyzedSpan(rank),
                                            waits ? say(text::waited, {{"time", *contention.delayNs}})
                                                  : say(text::stopped, {{"time", *contention.throttledNs}})));
    }
    if (!delay && !throttled) {
        return kNeedsHostSamples;
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    describe(context, delay, throttled, finding);
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(cpu_contention, .title = text::heading, .needs = {{"device", "sampled"}, " (process, cgroup)"},
              .options = kOptions, .run = run, .needsDevice = true, .help = text::help,
              .partOf = {"late_rank", "host_bound", "data_loading_stall", "gpu_utilization_low"});

} // namespace ringside::rules::rule_cpu_contention
