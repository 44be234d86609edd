// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/support.h"

#include "words/step.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::rules {

std::string milliseconds(std::int64_t ns)
{
    return values::milliseconds(static_cast<double>(ns));
}

Evidence evidence(const model::Rank& rank, const model::Interval& local, words::Text what)
{
    return {rank.rank, rank.clock.toRun(local.start), rank.clock.toRun(local.end), std::move(what)};
}

std::string keyOf(const Figure& figure, words::Period period)
{
    return figure.perPeriod == PerPeriod::No ? figure.name
           : period == words::Period::Step   ? figure.name + "_per_step"
                                             : figure.name + "_per_second";
}

std::string labelOf(const Figure& figure, words::Period period)
{
    std::string label = figure.name;
    if (const std::string_view unit = values::unitSuffix(figure.unit); label.ends_with(unit)) {
        label.resize(label.size() - unit.size());
    }
    std::ranges::replace(label, '_', ' ');
    return figure.perPeriod == PerPeriod::No ? label
           : period == words::Period::Step   ? label + " per step"
                                             : label + " per second";
}

double figureOf(const Finding& finding, std::string_view name)
{
    const auto found = std::ranges::find(finding.figures, name, &Figure::name);
    return found == finding.figures.end() ? 0.0 : found->value;
}

bool hasFigure(const Finding& finding, std::string_view name)
{
    return std::ranges::find(finding.figures, name, &Figure::name) != finding.figures.end();
}

Evidence transferEvidence(const Context& context, const metrics::ArrivedOperation& each, words::Text what)
{
    const model::Participant& first = context.run.operations[each.operation].participants.front();
    return {context.run.ranks[first.rank].rank, each.times.lastArrivalNs, each.times.endNs, std::move(what)};
}

std::vector<Evidence> worstStep(const Context& context, std::int64_t metrics::Breakdown::*figure,
                                const words::Template& what)
{
    const metrics::RankMetrics* worst = nullptr;
    std::size_t step = 0;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        for (std::size_t i = 0; i < rank.steps.size(); ++i) {
            if (worst == nullptr || rank.steps[i].*figure > worst->steps[step].*figure) {
                worst = &rank;
                step = i;
            }
        }
    }
    if (worst == nullptr) {
        return {};
    }
    return {
        evidence(context.rankOf(*worst), worst->windows[step],
                 say(words::step::with_the_most, {{"what", what}, {"time", worst->steps[step].*figure}}))};
}

model::Interval analyzedSpan(const metrics::RankMetrics& rank)
{
    return {rank.windows.front().start, rank.windows.back().end};
}

model::Interval analyzedHostSpan(const Context& context, const metrics::RankMetrics& rank)
{
    model::Interval span;
    for (const model::Step& step : context.rankOf(rank).steps) {
        if (std::binary_search(context.run.analyzedSteps.begin(), context.run.analyzedSteps.end(),
                               step.number)) {
            span = {span.end == 0 ? step.host.start : span.start, step.host.end};
        }
    }
    return span;
}

std::int64_t ofAStep(const Context& context, const metrics::RankMetrics& rank, std::int64_t ns)
{
    return ofAStep(context.figures.stepNs(), rank, ns);
}

std::int64_t ofAStep(std::int64_t stepNs, const metrics::RankMetrics& rank, std::int64_t ns)
{
    const std::int64_t own = std::max<std::int64_t>(1, rank.ofAStep(rank.total.stepNs));
    return static_cast<std::int64_t>(static_cast<long double>(rank.ofAStep(ns)) *
                                     static_cast<long double>(stepNs) / static_cast<long double>(own));
}

double shareOfStep(const Context& context, std::int64_t ns)
{
    const std::int64_t stepNs = context.figures.stepNs();
    return stepNs > 0 ? static_cast<double>(ns) / static_cast<double>(stepNs) : 0.0;
}

Severity severityByCost(const Context& context, std::int64_t costNs)
{
    return severityOfShare(shareOfStep(context, costNs));
}

Severity severityOfShare(double share)
{
    constexpr double kWarning = 0.01;
    constexpr double kProblem = 0.10;
    return share >= kProblem ? Severity::Problem : share >= kWarning ? Severity::Warning : Severity::Info;
}

metrics::IdleClass biggestIdleClass(const Context& context)
{
    metrics::IdleTimes sum;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        for (std::size_t i = 0; i < metrics::kIdleClasses; ++i) {
            sum.ns[i] = model::addCapped(sum.ns[i], rank.idle.ns[i]);
        }
    }
    return sum.biggest();
}

} // namespace ringside::rules
