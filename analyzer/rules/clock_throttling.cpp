// SPDX-License-Identifier: Apache-2.0
// Finds GPUs that run below their possible clock because of heat, a power brake or a hardware fault, while
// they have work.
#include "rules/shared/device_samples.h"
#include "trace/vocabulary/clock_reasons.h"

#include <array>

namespace ringside::rules::rule_clock_throttling {
namespace {

constexpr Option kOptions[] = {
    {"time_share", 0.05, "warn when a GPU is held back for more than this share of the analyzed time"},
    {"clock_part", 0.95, "and its clock is then below this share of its usual or maximum clock"},
};

struct Reason {
    std::int64_t bit;
    std::string_view name;
    std::string_view advice;
};
/// NVML's clock event reasons that lower the clock of a GPU that has work, but for the power cap: every GPU
/// at full load is at it, so gpu_clock_spread compares such GPUs with each other.
constexpr std::array<Reason, 4> kReasons = {{
    {trace::clock_reasons::kHardwareSlowdown, "the hardware's slow-down", "check power supply and cooling"},
    {trace::clock_reasons::kHardwareThermal, "heat (hardware)",
     "check fans, air flow and the neighbours' heat"},
    {trace::clock_reasons::kSoftwareThermal, "heat (software)",
     "check fans, air flow and the neighbours' heat"},
    {trace::clock_reasons::kPowerBrake, "the power brake", "check the power supply of the machine or rack"},
}};

struct Throttling {
    double timeShare = 0;
    double clockPart = 1; ///< share of the clock without throttling, or of the maximum clock
    std::int64_t bits = 0;
    model::Interval seen;
    bool known = false;
};

/// Returns the clock while throttled as a share of the clock without throttling; null if it was not sampled.
std::optional<double> clockPart(const std::vector<metrics::SampleValue>& clocks,
                                const std::vector<metrics::SampleValue>& reasons, std::int64_t mask,
                                std::int64_t largest)
{
    std::vector<std::int64_t> held;
    std::vector<std::int64_t> free;
    for (const metrics::SampleValue& clock : clocks) {
        const auto after = std::upper_bound(
            reasons.begin(), reasons.end(), clock.timeNs,
            [](std::int64_t time, const metrics::SampleValue& sample) { return time < sample.timeNs; });
        const bool isHeld = after != reasons.begin() && ((after - 1)->value & mask) != 0;
        (isHeld ? held : free).push_back(clock.value);
    }
    const std::int64_t usual = free.empty() ? largest : model::median(free);
    if (held.empty() || usual <= 0) {
        return std::nullopt;
    }
    return static_cast<double>(model::median(held)) / static_cast<double>(usual);
}

Throttling throttlingOf(const Context& context, const metrics::RankMetrics& metrics)
{
    const model::Rank& rank = context.rankOf(metrics);
    const model::Interval span = analyzedSpan(metrics);
    const auto reasons = gpuSamples(context, rank, "clock_event_reasons", span);
    std::int64_t mask = 0;
    for (const Reason& reason : kReasons) {
        mask |= reason.bit;
    }
    Throttling result;
    result.known = !reasons.empty();
    double held = 0;
    for (const metrics::SampleValue& sample : reasons) {
        if ((sample.value & mask) == 0) {
            continue;
        }
        held += 1;
        result.bits |= sample.value & mask;
        result.seen.start = result.seen.start == 0 ? sample.timeNs : result.seen.start;
        result.seen.end = sample.timeNs;
    }
    result.timeShare = result.known ? held / static_cast<double>(reasons.size()) : 0.0;
    const auto largest = gpuSamples(context, rank, "sm_clock_max_mhz");
    result.clockPart = clockPart(gpuSamples(context, rank, "sm_clock_mhz", span), reasons, mask,
                                 largest.empty() ? 0 : largest.back().value)
                           .value_or(1.0);
    return result;
}

const Reason& firstReason(std::int64_t bits)
{
    return *std::find_if(kReasons.begin(), kReasons.end() - 1,
                         [bits](const Reason& reason) { return (bits & reason.bit) != 0; });
}

Outcome run(const Context& context)
{
    Finding finding;
    Throttling worst;
    bool known = false;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        const Throttling throttling = throttlingOf(context, rank);
        known = known || throttling.known;
        if (throttling.timeShare <= context.option("time_share") ||
            throttling.clockPart >= context.option("clock_part")) {
            continue;
        }
        // Kernels that are bound by memory lose less, so this is an upper limit.
        const std::int64_t cost = ofAStep(context, rank,
                                          std::llround(static_cast<double>(rank.total.computeNs) *
                                                       throttling.timeShare * (1.0 - throttling.clockPart)));
        if (cost >= finding.costNsPerStep.value_or(0)) {
            finding.costNsPerStep = cost;
            worst = throttling;
        }
        finding.ranks.push_back(context.rankOf(rank).rank);
        finding.evidence.push_back(
            evidence(context.rankOf(rank), throttling.seen, "first to last sample with a lower clock"));
    }
    if (!known) {
        return kNeedsNvml;
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    const Reason& reason = firstReason(worst.bits);
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Compute;
    finding.title = fmt::format("A GPU runs at {} of its clock for {} of the time because of {}",
                                percent(worst.clockPart), percent(worst.timeShare), reason.name);
    finding.figures = {{"throttled_time_share", Unit::Share, worst.timeShare, context.option("time_share")},
                       {"clock_part", Unit::Share, worst.clockPart, context.option("clock_part")}};
    finding.advice = fmt::format(
        "On the ranks named, {}; then compare their compute time with that of the others.", reason.advice);
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(clock_throttling, .title = "GPUs run at lower clocks", .needs = "device and sampled (nvml)",
              .options = kOptions, .run = run, .needsDevice = true,
              .help =
                  "Samples with a clock event reason of heat, power brake or hardware, and the clock then "
                  "against the clock else (or the largest). The cost is the part of compute that the "
                  "lower clock adds, an estimate from above. The power cap is no fault: a GPU at full load "
                  "is at it.",
              .partOf = {"late_rank", "compute_imbalance"});

} // namespace ringside::rules::rule_clock_throttling
