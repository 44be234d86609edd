// SPDX-License-Identifier: Apache-2.0
// Some steps take much longer than the usual one. A symptom: what grows in those steps, whether they come
// periodically and what the program says it did in them point to the reason.
#include "rules/support.h"

#include <array>
#include <map>
#include <numeric>
#include <set>

namespace ringside::rules {
namespace {

constexpr Option kOptions[] = {
    {"ratio", 1.3, "warn when the 99th percentile of step times is this many times the median"},
    {"min_steps", 20, "analyzed steps, at least"},
};

/// The step's time on the rank that took longest.
std::vector<std::int64_t> stepTimes(const Context& context)
{
    std::vector<std::int64_t> times(context.figures.stepCount());
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        for (std::size_t i = 0; i < rank.steps.size() && i < times.size(); ++i) {
            times[i] = std::max(times[i], rank.steps[i].stepNs);
        }
    }
    return times;
}

/// Steps between long ones, when that is the same nearly always; 0: they come irregularly.
std::size_t periodOf(const std::vector<std::size_t>& longSteps)
{
    constexpr std::size_t kLeast = 3;
    constexpr double kNearlyAll = 0.8;
    std::map<std::size_t, std::size_t> gaps;
    for (std::size_t i = 1; i < longSteps.size(); ++i) {
        ++gaps[longSteps[i] - longSteps[i - 1]];
    }
    for (const auto& [gap, count] : gaps) {
        const auto all = static_cast<double>(longSteps.size() - 1);
        if (longSteps.size() >= kLeast && gap > 1 && static_cast<double>(count) >= kNearlyAll * all) {
            return gap;
        }
    }
    return 0;
}

struct Part {
    std::int64_t metrics::Breakdown::*figure;
    std::string_view name;
    Limit limit;
};
constexpr std::array<Part, 4> kParts = {{
    {&metrics::Breakdown::idleNs, "idle time", Limit::Host},
    {&metrics::Breakdown::computeNs, "compute", Limit::Compute},
    {&metrics::Breakdown::exposedCommunicationNs, "exposed communication", Limit::Communication},
    {&metrics::Breakdown::exposedCopyNs, "exposed copies", Limit::Copy},
}};

/// What grows most in the long steps, over all ranks.
const Part& grown(const Context& context, const std::vector<std::size_t>& longSteps)
{
    std::array<double, kParts.size()> excess{};
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        for (std::size_t part = 0; part < kParts.size(); ++part) {
            double inLong = 0;
            for (const std::size_t step : longSteps) {
                inLong += static_cast<double>(rank.steps[step].*kParts[part].figure);
            }
            excess[part] += inLong / static_cast<double>(longSteps.size()) -
                            static_cast<double>(rank.median.*kParts[part].figure);
        }
    }
    return kParts[static_cast<std::size_t>(std::max_element(excess.begin(), excess.end()) - excess.begin())];
}

/// A range that the program opens in long steps and in no other; empty: there is none.
std::string rangeOfLongSteps(const Context& context, const std::vector<std::size_t>& longSteps)
{
    const model::Rank& rank = context.rankOf(context.figures.ranks.front());
    const trace::ProcessTrace& process = context.run.processOf(rank);
    std::set<std::int64_t> numbers;
    for (const std::size_t index : longSteps) {
        numbers.insert(context.run.analyzedSteps[index]);
    }
    std::map<trace::StringId, std::array<std::size_t, 2>> counts; // in other steps, in long ones
    for (const trace::RangeRow& range : process.ranges) {
        const auto after =
            std::upper_bound(rank.steps.begin(), rank.steps.end(), range.startNs,
                             [](std::int64_t t, const model::Step& step) { return t < step.host.start; });
        if (after != rank.steps.begin() && range.endNs > range.startNs) {
            ++counts[range.name][numbers.contains((after - 1)->number) ? 1 : 0];
        }
    }
    for (const auto& [name, count] : counts) {
        // A range with its step's number in its name is another one each step.
        if (count[0] == 0 && count[1] >= 2) {
            return std::string(process.text(name));
        }
    }
    return {};
}

Finding describe(const Context& context, const std::vector<std::int64_t>& times,
                 const std::vector<std::size_t>& longSteps, double ratio)
{
    const std::int64_t median = model::median(times);
    const std::int64_t sum = std::accumulate(times.begin(), times.end(), std::int64_t{0});
    const Part& part = grown(context, longSteps);
    const std::size_t period = periodOf(longSteps);
    const std::string range = rangeOfLongSteps(context, longSteps);
    Finding finding;
    finding.costNsPerStep = std::max<std::int64_t>(0, sum / static_cast<std::int64_t>(times.size()) - median);
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = part.limit;
    finding.cause = false;
    finding.partOf = {"data_loading_stall", "late_rank",           "host_bound",
                      "sync_in_loop",       "gpu_utilization_low", "exposed_communication"};
    finding.title = fmt::format(
        "{} of {} steps take much longer than the median of {}{}; most of what they take longer is {}{}",
        longSteps.size(), times.size(), milliseconds(median),
        period > 0 ? fmt::format(", every {}th", period) : std::string(), part.name,
        range.empty() ? std::string() : fmt::format(", and only they have the range \"{}\"", range));
    finding.figures = {{"p99_over_median", Unit::Ratio, ratio, context.option("ratio")},
                       {"long_steps", Unit::Count, static_cast<double>(longSteps.size()), {}}};
    if (period > 0) {
        finding.figures.push_back({"period_steps", Unit::Count, static_cast<double>(period), {}});
    }
    const auto longest =
        static_cast<std::size_t>(std::max_element(times.begin(), times.end()) - times.begin());
    const metrics::RankMetrics& first = context.figures.ranks.front();
    finding.evidence = {evidence(context.rankOf(first), first.windows[longest], "the longest step")};
    finding.advice =
        period > 0
            ? "Something happens every so many steps: a checkpoint (write it asynchronously or less "
              "often), an evaluation, logging, Python's garbage collector (`gc.freeze()`, collect at "
              "chosen steps), a batch that the loader prefetches in chunks."
            : "Long steps come irregularly: look at the one in the evidence; data of different length, "
              "other work on the host, stalls of storage or network.";
    return finding;
}

Outcome run(const Context& context)
{
    if (context.figures.ranks.empty()) {
        return kNeedsDevice;
    }
    const std::vector<std::int64_t> times = stepTimes(context);
    if (static_cast<double>(times.size()) < context.option("min_steps")) {
        return NotApplicable{fmt::format("needs {:.0f} analyzed steps, there are {}",
                                         context.option("min_steps"), times.size())};
    }
    const auto median = static_cast<double>(std::max<std::int64_t>(1, model::median(times)));
    const double ratio = static_cast<double>(model::percentile(times, 0.99)) / median;
    std::vector<std::size_t> longSteps;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (static_cast<double>(times[i]) > context.option("ratio") * median) {
            longSteps.push_back(i);
        }
    }
    if (ratio <= context.option("ratio") || longSteps.empty()) {
        return std::vector<Finding>{};
    }
    return std::vector<Finding>{describe(context, times, longSteps, ratio)};
}

} // namespace
} // namespace ringside::rules

RINGSIDE_RULE(step_time_jitter, .title = "Some steps take much longer than others", .needs = "device",
              .options = ringside::rules::kOptions, .run = ringside::rules::run,
              .help = "99th percentile over median of the steps' times on their slowest rank. The cost is "
                      "the mean above the median: what would be saved if every step took the usual time.");
