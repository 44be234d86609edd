// SPDX-License-Identifier: Apache-2.0
// Finds GPUs that are idle for a large part of the step. The advice follows the biggest class of idle time.
#include "words/gpu_utilization_low.h"

#include "rules/shared/support.h"

namespace ringside::rules::rule_gpu_utilization_low {
namespace {

namespace text = words::gpu_utilization_low;

constexpr Option kOptions[] = {
    {"utilization", 0.85, "warn below this mean utilization (field guides: above 85 %)"},
    {"problem_utilization", 0.75, "a problem below this mean utilization"},
};

struct IdleText {
    Limit limit;
    const words::Template& name;
    const words::Template& remedy;
};

IdleText textOf(metrics::IdleClass idle)
{
    switch (idle) {
    case metrics::IdleClass::DataLoading:
        return {Limit::Data, text::data, text::data_remedy};
    case metrics::IdleClass::Synchronization:
        return {Limit::Host, text::synchronization, text::synchronization_remedy};
    case metrics::IdleClass::HostBound:
        return {Limit::Host, text::host, text::host_remedy};
    case metrics::IdleClass::LaunchLatency:
        return {Limit::Host, text::launch, text::launch_remedy};
    case metrics::IdleClass::BetweenKernels:
        return {Limit::Compute, text::between, text::between_remedy};
    case metrics::IdleClass::DependencyWait:
        return {Limit::Nothing, text::queued, text::queued_remedy};
    case metrics::IdleClass::Other:
        break;
    }
    return {Limit::Nothing, text::not_known, text::not_known_remedy};
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
    Finding finding;
    finding.severity = mean < context.option("problem_utilization") ? Severity::Problem : Severity::Warning;
    finding.limit = textOf(idle).limit;
    finding.doubt = finding.limit == Limit::Nothing ? words::Text(text::not_in_trace) : words::Text();
    finding.cause = false;
    finding.title = say(text::title, {{"busy", mean}, {"idle", textOf(idle).name}});
    finding.costNsPerStep = context.figures.perStep(&metrics::Breakdown::idleNs);
    finding.figures = {{"gpu_utilization", Unit::Share, mean, threshold}};
    for (std::size_t i = 0; i < metrics::kIdleClasses; ++i) {
        std::int64_t sum = 0;
        for (const metrics::RankMetrics& rank : context.figures.ranks) {
            sum = model::addCapped(sum, rank.idle.ns[i]);
        }
        const metrics::Breakdown total = context.figures.total();
        finding.figures.push_back(
            {std::string(metrics::idleClassName(static_cast<metrics::IdleClass>(i))) + "_share",
             Unit::Share,
             total.share(sum),
             {}});
    }
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        const model::Interval& longest = rank.idle.longest[static_cast<std::size_t>(idle)];
        if (longest.length() > 0) {
            finding.evidence.push_back(evidence(context.rankOf(rank), longest, text::longest));
        }
    }
    finding.advice = textOf(idle).remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(gpu_utilization_low, .title = text::heading, .needs = {{"device"}}, .options = kOptions,
              .run = run, .help = text::help);

} // namespace ringside::rules::rule_gpu_utilization_low
