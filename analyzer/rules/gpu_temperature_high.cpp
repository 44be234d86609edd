// SPDX-License-Identifier: Apache-2.0
// Finds GPUs that come near the temperature at which they lower their clock, or that were throttled for heat.
// The driver counts that time itself, so it is seen even between two samples.
#include "rules/shared/device_samples.h"

namespace ringside::rules::rule_gpu_temperature_high {
namespace {

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
    finding.title = finding.ranks.size() == 1 ? fmt::format("The GPU of rank {}", finding.ranks[0])
                                              : fmt::format("{} GPUs", finding.ranks.size());
    if (worst.heldNs.value_or(0) > 0) {
        finding.title += fmt::format(" {} throttled for heat, for up to {}",
                                     finding.ranks.size() == 1 ? "was" : "were", milliseconds(*worst.heldNs));
        finding.figures.push_back({"held_ns", Unit::Ns, static_cast<double>(*worst.heldNs), 0});
    } else {
        finding.title += fmt::format(" came within {} degrees of lowering the clock", *worst.margin);
    }
    if (worst.margin) {
        finding.figures.push_back(
            {"margin_celsius", Unit::Celsius, static_cast<double>(*worst.margin), context.option("margin")});
    }
    finding.advice = "Check fans, air flow, dust and heat of neighbouring GPUs; compare the temperature with "
                     "GPUs in the same slot of other hosts (`nvidia-smi -q -d TEMPERATURE,PERFORMANCE`).";
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
            evidence(rank, gpuSamples(context, rank, metric), "the sampled part of the run"));
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

RINGSIDE_RULE(
    gpu_temperature_high, .title = "GPUs are hot", .needs = "sampled (nvml)", .options = kOptions, .run = run,
    .help = "Highest temperature of each GPU compared with the one at which its clock is lowered, and the "
            "time for which the driver throttled it for heat. Rule clock_throttling estimates the cost.");

} // namespace ringside::rules::rule_gpu_temperature_high
