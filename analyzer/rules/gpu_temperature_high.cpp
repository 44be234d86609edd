// SPDX-License-Identifier: Apache-2.0
// Finds GPUs that come near the temperature at which they lower their clock, or that were throttled for heat.
// The driver counts that time itself, so it is seen even between two samples.
#include "words/gpu_temperature_high.h"

#include "rules/shared/device_samples.h"

namespace ringside::rules::rule_gpu_temperature_high {
namespace {

namespace text = words::gpu_temperature_high;

constexpr Option kOptions[] = {
    {"margin", 10,
     "report if a GPU comes closer than this to the temperature that lowers its clock, degrees"},
};

struct Heat {
    std::optional<std::int64_t> margin; ///< degrees below the slow-down temperature; the smallest seen
    std::optional<std::int64_t> heldNs; ///< time throttled within the run
};

Heat heatOf(const Context& context, const model::Rank& rank)
{
    const auto limit = gpuSamples(context, rank, "temperature_slowdown_celsius");
    const auto isTemperature = [](std::int64_t celsius) { return celsius > 0 && celsius < 1000; };
    Heat heat;
    for (const metrics::SampleValue& sample : gpuSamples(context, rank, "temperature_celsius")) {
        if (!limit.empty() && isTemperature(limit.back().value) && isTemperature(sample.value)) {
            const std::int64_t margin = limit.back().value - sample.value;
            heat.margin = std::min(heat.margin.value_or(margin), margin);
        }
    }
    heat.heldNs = gpuGain(context, rank, "thermal_violation_ns");
    return heat;
}

bool wasHeld(const Heat& heat)
{
    return heat.heldNs.value_or(0) > 0 || heat.margin.value_or(1) <= 0;
}

void describe(const Context& context, const Heat& worst, Finding& finding)
{
    finding.limit = Limit::Compute;
    finding.cause = false; // clock_throttling reports the cost
    const std::size_t gpus = finding.ranks.size();
    const words::Text who =
        say(gpus == 1 ? text::one : text::several, {{"ranks", finding.ranks}, {"gpus", gpus}});
    if (worst.heldNs.value_or(0) > 0) {
        finding.title = say(text::throttled, {{"who", who}, {"gpus", gpus}, {"time", *worst.heldNs}});
        finding.figures.push_back({"held_ns", Unit::Ns, static_cast<double>(*worst.heldNs), 0});
    } else {
        finding.title = say(text::near, {{"who", who}, {"margin", *worst.margin}});
    }
    if (worst.margin) {
        finding.figures.push_back(
            {"margin_celsius", Unit::Celsius, static_cast<double>(*worst.margin), context.option("margin")});
    }
    finding.advice = text::remedy;
}

Outcome run(const Context& context)
{
    Finding finding;
    bool known = false;
    Heat worst;
    for (const model::Rank& rank : context.run.ranks) {
        const Heat heat = heatOf(context, rank);
        known = known || heat.margin || heat.heldNs;
        const bool near = heat.margin && static_cast<double>(*heat.margin) < context.option("margin");
        if (!wasHeld(heat) && !near) {
            continue;
        }
        const trace::SeriesMetric metric = heat.margin ? trace::SeriesMetric("temperature_celsius")
                                                       : trace::SeriesMetric("thermal_violation_ns");
        finding.ranks.push_back(rank.rank);
        finding.evidence.push_back(
            evidence(rank, gpuSamples(context, rank, metric), words::device_samples::sampled_part));
        finding.severity = std::max(finding.severity, wasHeld(heat) ? Severity::Warning : Severity::Info);
        worst.margin =
            heat.margin ? std::min(worst.margin.value_or(*heat.margin), *heat.margin) : worst.margin;
        worst.heldNs = std::max(worst.heldNs, heat.heldNs);
    }
    if (!known) {
        return kNeedsNvml;
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    describe(context, worst, finding);
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(gpu_temperature_high, .title = text::heading, .needs = "sampled (nvml)", .options = kOptions,
              .run = run, .help = text::help);

} // namespace ringside::rules::rule_gpu_temperature_high
