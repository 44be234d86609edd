// SPDX-License-Identifier: Apache-2.0
// Finds GPUs that run below their possible clock because of heat, a power brake or a hardware fault, while
// they have work.
#include "words/clock_throttling.h"

#include "rules/shared/device_samples.h"
#include "trace/vocabulary/clock_reasons.h"

#include <array>

namespace ringside::rules::rule_clock_throttling {
namespace {

namespace text = words::clock_throttling;

constexpr Option kOptions[] = {
    {"time_share", 0.05, "warn when a GPU is held back for more than this share of the analyzed time"},
    {"clock_part", 0.95, "and its clock is then below this share of its usual or maximum clock"},
};

struct Reason {
    std::int64_t bit;
    const words::Template* name;
    const words::Template* check;
};
/// NVML's clock event reasons that lower the clock of a GPU that has work, but for the power cap: every GPU
/// at full load is at it, so gpu_clock_spread compares such GPUs with each other.
constexpr std::array<Reason, 4> kReasons = {{
    {trace::clock_reasons::kHardwareSlowdown, &text::hardware, &text::check_supply_and_cooling},
    {trace::clock_reasons::kHardwareThermal, &text::heat_hardware, &text::check_cooling},
    {trace::clock_reasons::kSoftwareThermal, &text::heat_software, &text::check_cooling},
    {trace::clock_reasons::kPowerBrake, &text::power_brake, &text::check_supply},
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
        finding.evidence.push_back(evidence(context.rankOf(rank), throttling.seen, text::samples));
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
    finding.title =
        say(text::title, {{"clock", worst.clockPart}, {"time", worst.timeShare}, {"reason", *reason.name}});
    finding.figures = {{"throttled_time_share", Unit::Share, worst.timeShare, context.option("time_share")},
                       {"clock_part", Unit::Share, worst.clockPart, context.option("clock_part")}};
    finding.advice = say(text::remedy, {{"check", *reason.check}});
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(clock_throttling, .title = text::heading, .needs = {{"device", "sampled"}, " (nvml)"},
              .options = kOptions, .run = run, .needsDevice = true, .help = text::help,
              .partOf = {"late_rank", "compute_imbalance"});

} // namespace ringside::rules::rule_clock_throttling
