// SPDX-License-Identifier: Apache-2.0
// Finds GPUs that are idle for a large part of the step. The advice follows the biggest class of idle time.
#include "rules/shared/support.h"

namespace ringside::rules::rule_gpu_utilization_low {
namespace {

constexpr Option kOptions[] = {
    {"utilization", 0.85, "warn below this mean utilization (field guides: above 85 %)"},
    {"problem_utilization", 0.75, "a problem below this mean utilization"},
};

struct Remedy {
    Limit limit;
    std::string_view advice;
};

Remedy remedyOf(metrics::IdleClass idle)
{
    switch (idle) {
    case metrics::IdleClass::DataLoading:
        return {Limit::Data, "The GPUs wait for data: see data_loading_stall."};
    case metrics::IdleClass::Synchronization:
        return {Limit::Host, "The host waits for the GPU before it launches more: see sync_in_loop."};
    case metrics::IdleClass::HostBound:
        return {Limit::Host, "The host launches too slowly: try CUDA graphs or torch.compile, and fewer "
                             "small operations (see host_bound)."};
    case metrics::IdleClass::LaunchLatency:
        return {Limit::Host, "Kernels finish faster than the host launches them: fuse small kernels "
                             "(torch.compile) or use CUDA graphs."};
    case metrics::IdleClass::DependencyWait:
        return {Limit::Host, "Work was queued but waited for another stream: look for events that order "
                             "streams more than needed."};
    case metrics::IdleClass::Other:
        break;
    }
    return {Limit::Host, "No launch is recorded of work that ended the idle times: look at the host's calls "
                         "around the evidence."};
}

Outcome run(const Context& context)
{
    if (!context.figures.utilization) {
        return kNeedsDevice;
    }
    const double mean = context.figures.utilization->mean;
    const double threshold = context.option("utilization");
    if (mean >= threshold) {
        return std::vector<Finding>{};
    }
    const metrics::IdleClass idle = biggestIdleClass(context);
    const Remedy remedy = remedyOf(idle);
    Finding finding;
    finding.severity = mean < context.option("problem_utilization") ? Severity::Problem : Severity::Warning;
    finding.limit = remedy.limit;
    finding.cause = false;
    finding.title = fmt::format("The GPUs are busy only {} of the time; most idle time is {}", percent(mean),
                                metrics::idleClassText(idle));
    finding.costNsPerStep = context.figures.perStep(&metrics::Breakdown::idleNs);
    finding.figures = {{"gpu_utilization", Unit::Share, mean, threshold}};
    for (std::size_t i = 0; i < metrics::kIdleClasses; ++i) {
        std::int64_t sum = 0;
        for (const metrics::RankMetrics& rank : context.figures.ranks) {
            sum = model::addCapped(sum, rank.idle.ns[i]);
        }
        const metrics::Breakdown total = context.figures.total();
        finding.figures.push_back(
            {fmt::format("{}_share", metrics::idleClassName(static_cast<metrics::IdleClass>(i))),
             Unit::Share,
             total.share(sum),
             {}});
    }
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        const model::Interval& longest = rank.idle.longest[static_cast<std::size_t>(idle)];
        if (longest.length() > 0) {
            finding.evidence.push_back(
                evidence(context.rankOf(rank), longest, "longest idle time of this class"));
        }
    }
    finding.advice = remedy.advice;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(gpu_utilization_low, .title = "GPUs are idle", .needs = "device", .options = kOptions,
              .run = run, .help = "|C or M or K| over the step, mean over ranks. The cost is the idle time.");

} // namespace ringside::rules::rule_gpu_utilization_low
