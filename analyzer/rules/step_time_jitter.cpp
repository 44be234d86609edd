// SPDX-License-Identifier: Apache-2.0
// Finds steps that take much longer than the median. The reason follows from the part of the step that grows,
// the period of the long steps, the rank that the others wait for, and ranges that occur only in these steps.
// It is a symptom if no rank is waited for.
#include "words/step_time_jitter.h"

#include "rules/shared/support.h"
#include "values/quantile.h"

#include <array>
#include <map>
#include <numeric>
#include <set>

namespace ringside::rules::rule_step_time_jitter {
namespace {

namespace text = words::step_time_jitter;

constexpr Option kOptions[] = {
    {"ratio", 1.3, "warn when the 99th percentile of step times is this many times the median"},
    {"min_steps", 20, "fewest analyzed steps"},
};

/// Returns the time of each step on the rank that took longest, in ns.
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

/// Returns the mean time of a step over the ranks, in ns. A delay reaches other ranks one step later; the
/// mean does not count it twice.
double meanNs(const Context& context, std::size_t step)
{
    double sum = 0;
    double count = 0;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        if (step < rank.steps.size()) {
            sum += static_cast<double>(rank.steps[step].stepNs);
            count += 1;
        }
    }
    return count > 0 ? sum / count : 0.0;
}

struct LongSteps {
    std::vector<std::size_t> all;
    /// Without steps that only show a delay of the previous step on other ranks.
    std::vector<std::size_t> own;
};

LongSteps longSteps(const Context& context, double limitNs)
{
    LongSteps found;
    std::vector<bool> before(context.figures.ranks.size());
    for (std::size_t step = 0; step < context.figures.stepCount(); ++step) {
        std::vector<bool> now(before.size());
        bool any = false;
        bool again = false;
        bool follows = false;
        for (std::size_t r = 0; r < now.size(); ++r) {
            const auto& steps = context.figures.ranks[r].steps;
            now[r] = step < steps.size() && static_cast<double>(steps[step].stepNs) > limitNs;
            any = any || now[r];
            again = again || (now[r] && before[r]);
            follows = follows || before[r];
        }
        if (any) {
            found.all.push_back(step);
        }
        if (any && (again || !follows)) {
            found.own.push_back(step);
        }
        before = now;
    }
    return found;
}

/// Returns the rank that the others wait for in the long steps: nearly all ranks wait for about the lost
/// time, and one does not. Returns null if there is no such rank.
const metrics::RankMetrics* awaited(const Context& context, const std::vector<std::size_t>& steps,
                                    double lostNs)
{
    constexpr double kNot = 0.25; // share of the lost time
    constexpr double kAbout = 0.5;
    const metrics::RankMetrics* found = nullptr;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        double waited = 0;
        for (const std::size_t step : steps) {
            waited += step < rank.steps.size()
                          ? static_cast<double>(rank.steps[step].waitNs - rank.median.waitNs)
                          : 0.0;
        }
        if (waited >= kAbout * lostNs) {
            continue;
        }
        if (waited > kNot * lostNs || found != nullptr) {
            return nullptr;
        }
        found = &rank;
    }
    return context.figures.ranks.size() > 1 && context.figures.arrivalsMeasured() ? found : nullptr;
}

/// Returns the number of steps between long ones if it is nearly always the same, or 0 if they are irregular.
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
    const words::Template* name;
    Limit limit;
};
constexpr std::array<Part, 4> kParts = {{
    {&metrics::Breakdown::idleNs, &text::idle, Limit::Host},
    {&metrics::Breakdown::computeNs, &text::compute, Limit::Compute},
    {&metrics::Breakdown::exposedCommunicationNs, &text::communication, Limit::Communication},
    {&metrics::Breakdown::exposedCopyNs, &text::copies, Limit::Copy},
}};

/// Returns the part that grows most in the long steps, over all ranks.
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

/// Returns a range that the program opens only in long steps; empty if there is none.
std::string rangeOfLongSteps(const Context& context, const std::vector<std::size_t>& longSteps)
{
    const model::Rank& rank = context.rankOf(context.figures.ranks.front());
    const trace::ProcessTrace& process = context.run.processOf(rank);
    std::set<std::int64_t> numbers;
    for (const std::size_t index : longSteps) {
        numbers.insert(context.run.analyzedSteps[index]);
    }
    std::map<trace::StringId, std::array<std::size_t, 2>> counts; // number in other steps, and in long ones
    for (const trace::RangeRow& range : process.ranges) {
        const auto after =
            std::upper_bound(rank.steps.begin(), rank.steps.end(), range.startNs,
                             [](std::int64_t t, const model::Step& step) { return t < step.host.start; });
        if (after != rank.steps.begin() && range.endNs > range.startNs) {
            ++counts[range.name][numbers.contains((after - 1)->number) ? 1 : 0];
        }
    }
    for (const auto& [name, count] : counts) {
        // At least two, because a range with the step's number in its name has a different name in each step.
        if (count[0] == 0 && count[1] >= 2) {
            return std::string(process.text(name));
        }
    }
    return {};
}

/// Returns what would be saved in ns per step if every step took the median time.
std::int64_t costOf(const Context& context)
{
    std::vector<double> means;
    for (std::size_t step = 0; step < context.figures.stepCount(); ++step) {
        means.push_back(meanNs(context, step));
    }
    const double mean = std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(means.size());
    return std::llround(std::max(0.0, mean - model::median(std::move(means))));
}

Finding describe(const Context& context, const std::vector<std::int64_t>& times, const LongSteps& steps,
                 double ratio)
{
    const std::vector<std::size_t>& longSteps = steps.own;
    const std::int64_t median = model::median(times);
    const Part& part = grown(context, longSteps);
    const std::size_t period = periodOf(longSteps);
    const std::string range = rangeOfLongSteps(context, longSteps);
    Finding finding;
    finding.costNsPerStep = costOf(context);
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = part.limit;
    const metrics::RankMetrics* const late = awaited(
        context, steps.all, static_cast<double>(*finding.costNsPerStep) * static_cast<double>(times.size()));
    finding.cause = late != nullptr;
    if (late != nullptr) {
        finding.limit = Limit::LateRank;
        finding.ranks = {context.rankOf(*late).rank};
    }
    finding.partOf = {"data_loading_stall", "host_bound", "sync_in_loop", "gpu_utilization_low",
                      "exposed_communication"};
    // Else this finding says more about that rank than late_rank, which reports what is usual.
    if (late == nullptr) {
        finding.partOf.push_back("late_rank");
    }
    finding.title =
        say(text::title, {{"long", longSteps.size()},
                          {"all", times.size()},
                          {"median", median},
                          {"period", period > 0 ? say(text::period, {{"period", period}}) : words::Text()},
                          {"part", *part.name},
                          {"range", range.empty() ? words::Text() : say(text::range, {{"range", range}})}});
    if (late != nullptr) {
        finding.title += say(text::late, {{"rank", finding.ranks.front()}});
    }
    finding.figures = {{"p99_over_median", Unit::Ratio, ratio, context.option("ratio")},
                       {"long_steps", Unit::Count, static_cast<double>(longSteps.size()), {}}};
    if (period > 0) {
        finding.figures.push_back({"period_steps", Unit::Count, static_cast<double>(period), {}});
    }
    const auto longest =
        static_cast<std::size_t>(std::max_element(times.begin(), times.end()) - times.begin());
    const metrics::RankMetrics& shown = late != nullptr ? *late : context.figures.ranks.front();
    finding.evidence = {evidence(context.rankOf(shown), shown.windows[longest], text::longest)};
    finding.advice = period > 0 ? text::remedy_periodic : text::remedy_irregular;
    return finding;
}

Outcome run(const Context& context)
{
    const std::vector<std::int64_t> times = stepTimes(context);
    if (static_cast<double>(times.size()) < context.option("min_steps")) {
        return NotApplicable{
            say(text::few_steps, {{"least", context.option("min_steps")}, {"steps", times.size()}})};
    }
    const auto median = static_cast<double>(std::max<std::int64_t>(1, model::median(times)));
    const double ratio = static_cast<double>(values::quantile(times, 0.99)) / median;
    const LongSteps steps = longSteps(context, context.option("ratio") * median);
    if (ratio <= context.option("ratio") || steps.own.empty()) {
        return std::vector<Finding>{};
    }
    return std::vector<Finding>{describe(context, times, steps, ratio)};
}

} // namespace

RINGSIDE_RULE(step_time_jitter, .title = text::heading, .needs = {{"device"}}, .options = kOptions,
              .run = run, .needsDevice = true, .help = text::help, .ofSteps = true);

} // namespace ringside::rules::rule_step_time_jitter
