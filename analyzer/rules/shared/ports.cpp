// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/ports.h"

#include "words/ports.h"

#include <algorithm>

namespace ringside::rules {
namespace {

std::optional<std::int64_t> usualTransferNs(const Context& context, const model::Operation& operation)
{
    for (const metrics::CollectiveGroup& group : context.figures.collectives) {
        if (group.communicator == operation.communicator && group.kind == operation.kind &&
            group.bytes == operation.bytes) {
            return group.transferNs;
        }
    }
    return std::nullopt;
}

SlowCollectives slowDuring(const Context& context, const std::vector<model::Interval>& moved)
{
    SlowCollectives slow;
    for (const metrics::ArrivedOperation& each : context.figures.arrived) {
        const auto usual = usualTransferNs(context, context.run.operations[each.operation]);
        if (!usual || each.times.transferNs() <= 2 * *usual) {
            continue;
        }
        ++slow.all;
        if (!overlapsAny(moved, {each.times.lastArrivalNs, each.times.endNs})) {
            continue;
        }
        ++slow.then;
        slow.excessNs = model::addCapped(slow.excessNs, each.times.transferNs() - *usual);
        if (slow.slowest == nullptr || each.times.transferNs() > slow.slowest->times.transferNs()) {
            slow.slowest = &each;
        }
    }
    return slow;
}

/// Returns the share of the sampled time that `moved` covers. A counter that increases all the time explains
/// nothing.
double movedShare(const metrics::Port& port, const std::vector<model::Interval>& moved)
{
    double ns = 0;
    for (const model::Interval& span : moved) {
        ns += static_cast<double>(span.length());
    }
    return std::min(1.0, ns / static_cast<double>(std::max<std::int64_t>(1, port.sampled().length())));
}

/// A counter that increases for most of the run is there at every slow collective, whatever made it slow.
bool isMoreThanChance(const SlowCollectives& slow, double moved)
{
    constexpr double kTimes = 1.5;
    return static_cast<double>(slow.then) >= kTimes * moved * static_cast<double>(slow.all);
}

} // namespace

void addEvidence(const Context& context, const metrics::Port& port, const model::Interval& span,
                 words::Text what, Finding& finding)
{
    if (port.rank) {
        finding.evidence.push_back(
            {context.run.ranks[*port.rank].rank, span.start, span.end, std::move(what)});
    }
}

words::Text momentText(const Context& context, const metrics::Port& port, std::int64_t timeNs)
{
    words::Text moment = say(words::ports::moment, {{"time", timeNs}});
    if (!port.rank) {
        return moment;
    }
    const model::Rank& rank = context.run.ranks[*port.rank];
    for (const model::Step& step : rank.steps) {
        const model::Interval span = step.device.value_or(step.host);
        if (rank.clock.toRun(span.start) <= timeNs && timeNs < rank.clock.toRun(span.end)) {
            return moment + say(words::ports::in_step, {{"step", step.number}});
        }
    }
    return moment;
}

Severity severityIfUsed(const metrics::Port& port, Severity severity)
{
    return port.carried() == std::optional(false) ? Severity::Info : severity;
}

bool isOverRdma(const Context& context)
{
    const auto& ports = context.figures.ports;
    return std::any_of(ports.begin(), ports.end(),
                       [](const metrics::Port& port) { return port.carried() == std::optional(true); });
}

bool isSoftware(const metrics::Port& port)
{
    return port.values.contains("requester_retries") || port.fact("driver") == "siw";
}

void lowerSeverityIfUnused(const metrics::Port& port, Finding& finding)
{
    if (port.queuePairs == std::optional<std::int64_t>(0)) {
        finding.severity = Severity::Info;
        finding.broken = false;
        finding.title += words::ports::unused;
    }
}

std::vector<model::Interval> movedIn(const metrics::Port& port,
                                     const std::vector<trace::SeriesMetric>& counters)
{
    std::vector<model::Interval> spans;
    for (const trace::SeriesMetric& metric : counters) {
        for (const metrics::Gain& each : port.gains(metric)) {
            if (each.gain > 0) {
                spans.push_back(each.between);
            }
        }
    }
    return spans;
}

std::vector<model::Interval> movedIn(const metrics::Port& port, const std::vector<conditions::Judged>& rows)
{
    std::vector<trace::SeriesMetric> counters;
    for (const conditions::Judged& row : rows) {
        counters.push_back(row.condition->metric);
    }
    return movedIn(port, counters);
}

words::Text portsText(const std::vector<std::string>& names)
{
    constexpr std::size_t kNamed = 3;
    if (names.size() == 1) {
        return say(words::ports::one, {{"port", names.front()}});
    }
    std::vector<std::string> named = names;
    if (names.size() > kNamed) {
        named.resize(kNamed);
        named.emplace_back("...");
    }
    return say(words::ports::many, {{"count", names.size()}, {"named", named}});
}

std::vector<model::Interval> merged(std::vector<model::Interval> spans)
{
    std::sort(spans.begin(), spans.end(),
              [](const model::Interval& a, const model::Interval& b) { return a.start < b.start; });
    std::vector<model::Interval> result;
    for (const model::Interval& span : spans) {
        if (!result.empty() && span.start <= result.back().end) {
            result.back().end = std::max(result.back().end, span.end);
        } else {
            result.push_back(span);
        }
    }
    return result;
}

bool overlapsAny(const std::vector<model::Interval>& spans, const model::Interval& other)
{
    const auto after =
        std::lower_bound(spans.begin(), spans.end(), other.end,
                         [](const model::Interval& span, std::int64_t end) { return span.start < end; });
    return after != spans.begin() && model::overlapLength(*(after - 1), other) > 0;
}

bool addSlowCollectives(const Context& context, const metrics::Port& port,
                        const std::vector<model::Interval>& spans, Finding& finding)
{
    if (!context.figures.arrivalsMeasured()) {
        return false;
    }
    const std::vector<model::Interval> moved = merged(spans);
    const SlowCollectives slow = slowDuring(context, moved);
    const double steps = context.figures.periods();
    finding.figures.push_back({"slow_collectives", Unit::Count, static_cast<double>(slow.then), {}});
    finding.figures.push_back({"slow_collectives_of_run", Unit::Count, static_cast<double>(slow.all), {}});
    finding.figures.push_back({"moved", Unit::Share, movedShare(port, moved), {}});
    if (slow.slowest == nullptr) {
        finding.title +=
            slow.all == 0 ? words::ports::none_slow : say(words::ports::none_then, {{"slow", slow.all}});
        return false;
    }
    finding.title += say(words::ports::slow_then, {{"then", slow.then},
                                                   {"all", slow.all},
                                                   {"moved", movedShare(port, moved)},
                                                   {"slowest", slow.slowest->times.transferNs()}});
    finding.costNsPerStep = static_cast<std::int64_t>(static_cast<double>(slow.excessNs) / steps);
    finding.evidence.push_back(transferEvidence(context, *slow.slowest, words::ports::slowest));
    finding.partOf = {"exposed_communication", "collective_bandwidth_low"};
    return isMoreThanChance(slow, movedShare(port, moved));
}

} // namespace ringside::rules
