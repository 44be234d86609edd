// SPDX-License-Identifier: Apache-2.0
// Finds GPUs that do the same work at different clocks. The slowest one is late to every collective, whatever
// lowers its clock.
#include "rules/shared/device_samples.h"

namespace ringside::rules::rule_gpu_clock_spread {
namespace {

constexpr Option kOptions[] = {
    {"part", 0.97, "warn when a GPU's usual clock is below this share of the ranks' median"},
    {"part_low", 0.90, "a problem below this share"},
};

struct RankClock {
    const metrics::RankMetrics* rank = nullptr;
    double mhz = 0;
};

/// The median of each rank's clock over its analyzed steps.
std::vector<RankClock> clocksOf(const Context& context)
{
    std::vector<RankClock> clocks;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        std::vector<std::int64_t> values;
        for (const metrics::SampleValue& sample :
             gpuSamples(context, context.rankOf(rank), "sm_clock_mhz", analyzedSpan(rank))) {
            values.push_back(sample.value);
        }
        if (!values.empty()) {
            clocks.push_back({&rank, static_cast<double>(model::median(std::move(values)))});
        }
    }
    return clocks;
}

Outcome run(const Context& context)
{
    const std::vector<RankClock> clocks = clocksOf(context);
    constexpr std::size_t kLeast = 3; // with two it is not known which one is the outlier
    if (clocks.size() < kLeast) {
        return NotApplicable{"needs the clocks of at least three ranks' GPUs in the analyzed steps (tier "
                             "sampled, source nvml)"};
    }
    std::vector<double> all;
    for (const RankClock& clock : clocks) {
        all.push_back(clock.mhz);
    }
    const double median = model::median(std::move(all));
    Finding finding;
    double lowest = median;
    for (const RankClock& clock : clocks) {
        if (clock.mhz < context.option("part") * median) {
            finding.ranks.push_back(context.rankOf(*clock.rank).rank);
            finding.evidence.push_back(evidence(context.rankOf(*clock.rank), analyzedSpan(*clock.rank),
                                                fmt::format("its clock is {:.0f} MHz (median)", clock.mhz)));
            lowest = std::min(lowest, clock.mhz);
        }
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    const double part = lowest / median;
    finding.severity = part < context.option("part_low") ? Severity::Problem : Severity::Warning;
    finding.limit = Limit::Compute;
    finding.cause = false; // it is a symptom: clock_throttling reports what lowers the clock
    finding.title =
        fmt::format("{} at a lower clock than the others: {:.0f} MHz, the median is {:.0f}",
                    finding.ranks.size() == 1 ? fmt::format("The GPU of rank {} runs", finding.ranks[0])
                                              : fmt::format("{} GPUs run", finding.ranks.size()),
                    lowest, median);
    finding.figures = {{"part_of_median", Unit::Share, part, context.option("part")}};
    finding.advice =
        "Compare `nvidia-smi -q -d CLOCK,POWER,PERFORMANCE` with a GPU of the other ranks: application "
        "clocks, a lower power cap, heat. Different GPU models in one job have different clocks anyway.";
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(
    gpu_clock_spread, .title = "GPUs run at different clocks", .needs = "sampled (nvml), device",
    .options = kOptions, .run = run,
    .help = "Median SM clock of each rank over the analyzed steps, against the median of the ranks. It is a "
            "symptom: clock_throttling says what lowers a clock, late_rank what it costs.",
    .comparesRanks = true);

} // namespace ringside::rules::rule_gpu_clock_spread
