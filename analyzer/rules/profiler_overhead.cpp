// SPDX-License-Identifier: Apache-2.0
// Measures whether recording makes steps longer. It compares the steps inside the device tier's window with
// the light steps after it, in the same run. Without both kinds there is nothing to compare.
#include "words/profiler_overhead.h"

#include "rules/shared/support.h"

namespace ringside::rules::rule_profiler_overhead {
namespace {

namespace text = words::profiler_overhead;

constexpr Option kOptions[] = {
    {"share", 0.01, "warn when steps are longer by more than this share while the device tier records"},
    {"min_steps", 10, "fewest steps of each kind"},
};

enum class Level : std::uint8_t { Light, Full, Other };

/// Returns the recording level throughout an interval. Other means that it changed, or that recording was
/// paused.
Level levelIn(const trace::ProcessTrace& process, const model::Interval& span)
{
    for (const trace::WindowRow& row : process.windows) {
        if (row.startNs <= span.start && span.end <= row.endNs.value_or(span.end)) {
            return row.level == "light"                             ? Level::Light
                   : row.level == "standard" || row.level == "deep" ? Level::Full
                                                                    : Level::Other;
        }
    }
    return Level::Other;
}

struct Steps {
    std::vector<double> light; ///< ns
    std::vector<double> full;
};

/// Returns the durations of the steps to compare. Warm-up steps, and light steps before the first fully
/// recorded one, are left out.
Steps stepsOf(const Context& context, const model::Rank& rank)
{
    const trace::ProcessTrace& process = context.run.processOf(rank);
    Steps result;
    for (const model::Step& step : rank.steps) {
        const Level level = step.pausedAfter || step.warmUp ? Level::Other : levelIn(process, step.host);
        const auto ns = static_cast<double>(step.host.length());
        if (level == Level::Full) {
            result.full.push_back(ns);
        } else if (level == Level::Light && !result.full.empty()) {
            result.light.push_back(ns);
        }
    }
    return result;
}

/// Returns the standard error of a median, from the median absolute deviation under a normal distribution.
double errorOf(const std::vector<double>& values)
{
    constexpr double kMadToSigma = 1.4826;
    constexpr double kMedianOverMean = 1.2533;
    const double middle = model::median(values);
    std::vector<double> distances;
    for (const double value : values) {
        distances.push_back(std::abs(value - middle));
    }
    return kMedianOverMean * kMadToSigma * model::median(distances) /
           std::sqrt(static_cast<double>(values.size()));
}

Outcome run(const Context& context)
{
    const model::Rank* worst = nullptr;
    double most = 0;
    double cost = 0;
    bool compared = false;
    for (const model::Rank& rank : context.run.ranks) {
        const Steps steps = stepsOf(context, rank);
        const auto least = static_cast<std::size_t>(std::max(1.0, context.option("min_steps")));
        if (steps.light.size() < least || steps.full.size() < least) {
            continue;
        }
        compared = true;
        const double light = std::max(1.0, model::median(steps.light));
        const double longer = model::median(steps.full) - light;
        const double error = std::hypot(errorOf(steps.full), errorOf(steps.light));
        if (longer > 2 * error && longer / light > std::max(most, context.option("share"))) {
            most = longer / light;
            cost = longer;
            worst = &rank;
        }
    }
    if (!compared) {
        return NotApplicable{text::not_measured};
    }
    if (worst == nullptr) {
        return std::vector<Finding>{};
    }
    Finding finding;
    finding.costNsPerStep = std::llround(cost);
    finding.severity = std::min(Severity::Warning, severityByCost(context, *finding.costNsPerStep));
    finding.limit = Limit::Settings;
    finding.cause = false;
    finding.title = say(text::title, {{"longer", most}});
    finding.ranks = {worst->rank};
    finding.settings = {"--profile", "--steps"};
    finding.figures = {{"longer_share", Unit::Share, most, context.option("share")}};
    finding.evidence = {
        evidence(*worst, {worst->steps.front().host.start, worst->steps.back().host.end}, text::compared)};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(profiler_overhead, .title = text::heading, .needs = {{"host"}, "; profile auto"},
              .options = kOptions, .run = run, .help = text::help, .ofSteps = true);

} // namespace ringside::rules::rule_profiler_overhead
