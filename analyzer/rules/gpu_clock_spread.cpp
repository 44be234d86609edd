// SPDX-License-Identifier: Apache-2.0
// Finds GPUs that do the same work at different clocks. The slowest one is late to every collective, whatever
// lowers its clock.
#include "words/gpu_clock_spread.h"

#include "rules/shared/device_samples.h"
#include "trace/vocabulary/clock_reasons.h"

namespace ringside::rules::rule_gpu_clock_spread {
namespace {

namespace text = words::gpu_clock_spread;

constexpr Option kOptions[] = {
    {"part", 0.97, "warn when a GPU's usual clock is below this share of the ranks' median"},
    {"part_low", 0.90, "a problem below this share"},
    {"part_capped", 0.90,
     "warn below this share if the GPU is at its power cap: under a cap, GPUs of one model differ by 8 % on "
     "average (Sinha et al., SC 2022, on five clusters)"},
    {"part_capped_low", 0.78, "a problem below this share at the power cap: they saw up to 22 %"},
};

struct RankClock {
    const metrics::RankMetrics* rank = nullptr;
    double mhz = 0;
    bool capped = false; ///< at its power cap most of the time, with no other reason for a lower clock

    [[nodiscard]] const char* warnAt() const { return capped ? "part_capped" : "part"; }
    [[nodiscard]] const char* problemAt() const { return capped ? "part_capped_low" : "part_low"; }
};

/// A GPU at full load is expected to be at its power cap.
bool isCapped(const Context& context, const metrics::RankMetrics& rank)
{
    std::size_t capped = 0;
    const auto reasons = gpuSamples(context, context.rankOf(rank), "clock_event_reasons", analyzedSpan(rank));
    for (const metrics::SampleValue& sample : reasons) {
        if ((sample.value & trace::clock_reasons::kTrouble) != 0) {
            return false;
        }
        capped += (sample.value & trace::clock_reasons::kPowerCap) != 0 ? 1 : 0;
    }
    return 2 * capped > reasons.size();
}

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
            clocks.push_back(
                {&rank, static_cast<double>(model::median(std::move(values))), isCapped(context, rank)});
        }
    }
    return clocks;
}

Outcome run(const Context& context)
{
    const std::vector<RankClock> clocks = clocksOf(context);
    constexpr std::size_t kLeast = 3; // with two it is not known which one is the outlier
    if (clocks.size() < kLeast) {
        return NotApplicable{text::needs_clocks};
    }
    std::vector<double> all;
    for (const RankClock& clock : clocks) {
        all.push_back(clock.mhz);
    }
    const double median = model::median(std::move(all));
    Finding finding;
    finding.severity = Severity::Warning;
    double lowest = median;
    double limit = context.option("part");
    for (const RankClock& clock : clocks) {
        if (clock.mhz < context.option(clock.warnAt()) * median) {
            finding.ranks.push_back(context.rankOf(*clock.rank).rank);
            finding.evidence.push_back(evidence(context.rankOf(*clock.rank), analyzedSpan(*clock.rank),
                                                say(text::clock, {{"clock", clock.mhz}})));
            if (clock.mhz < context.option(clock.problemAt()) * median) {
                finding.severity = Severity::Problem;
            }
            if (clock.mhz < lowest) {
                lowest = clock.mhz;
                limit = context.option(clock.warnAt());
            }
        }
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    const double part = lowest / median;
    finding.limit = Limit::Compute;
    finding.cause = false; // it is a symptom: clock_throttling reports what lowers the clock
    finding.title =
        say(text::title, {{"who", say(finding.ranks.size() == 1 ? text::one : text::several,
                                      {{"ranks", finding.ranks}, {"gpus", finding.ranks.size()}})},
                          {"lowest", lowest},
                          {"median", median}});
    finding.figures = {{"part_of_median", Unit::Share, part, limit}};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(gpu_clock_spread, .title = text::heading, .needs = {{"device", "sampled"}, " (nvml)"},
              .options = kOptions, .run = run, .help = text::help, .comparesRanks = true);

} // namespace ringside::rules::rule_gpu_clock_spread
