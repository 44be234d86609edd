// SPDX-License-Identifier: Apache-2.0
#include "model/steps.h"

#include "model/pauses.h"
#include "model/repeated_events.h"

#include <ringside/trace/step_name.h>

#include <algorithm>
#include <limits>
#include <map>
#include <span>

namespace ringside::model {
namespace {

/// Sorts, drops what lies inside an earlier step or was paused in between, and lets each step last until the
/// next begins.
std::vector<Step> tile(std::vector<Step> steps, const std::vector<Interval>& pauses)
{
    std::erase_if(steps, [&](const Step& step) { return !isRecordedWhole(pauses, step.host); });
    std::stable_sort(steps.begin(), steps.end(),
                     [](const Step& a, const Step& b) { return a.host.start < b.host.start; });
    std::vector<Step> result;
    for (const Step& step : steps) {
        if (result.empty() || step.host.start >= result.back().host.end) {
            result.push_back(step);
        }
    }
    for (std::size_t i = 0; i + 1 < result.size(); ++i) {
        const std::int64_t next = result[i + 1].host.start;
        result[i].pausedAfter = !isRecordedWhole(pauses, {result[i].host.start, next});
        result[i].host.end = result[i].pausedAfter ? result[i].host.end : next;
    }
    return result;
}

/// Numbers that start again (one count an epoch) do not tell steps apart: then their place does.
std::vector<Step> withDistinctNumbers(std::vector<Step> steps)
{
    const auto notAfter = [](const Step& a, const Step& b) { return a.number >= b.number; };
    if (std::adjacent_find(steps.begin(), steps.end(), notAfter) != steps.end()) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
            steps[i].number = static_cast<std::int64_t>(i) + 1;
        }
    }
    return steps;
}

std::vector<Step> stepsFromMarks(const trace::ProcessTrace& process, const std::vector<Interval>& pauses)
{
    std::vector<Step> steps;
    for (const trace::StepRow& row : process.steps) {
        steps.push_back({row.number, {row.startNs, row.endNs}, std::nullopt});
    }
    return withDistinctNumbers(tile(std::move(steps), pauses));
}

std::vector<Step> stepsFromRanges(const trace::ProcessTrace& process, const std::vector<Interval>& pauses)
{
    std::map<int, std::vector<Step>> byPriority;
    std::unordered_map<trace::StringId, std::optional<trace::StepName>> names;
    for (const trace::RangeRow& range : process.ranges) {
        auto [entry, fresh] = names.try_emplace(range.name);
        if (fresh) {
            entry->second = trace::parseStepName(process.text(range.name));
        }
        if (entry->second && range.endNs > range.startNs) {
            byPriority[entry->second->priority].push_back(
                {entry->second->number.value_or(0), {range.startNs, range.endNs}, std::nullopt});
        }
    }
    if (byPriority.empty()) {
        return {};
    }
    return withDistinctNumbers(tile(std::move(byPriority.begin()->second), pauses));
}

/// Of one stretch in which recording was not paused.
using Events = std::span<const RepeatedEvent>;

std::vector<Events> recordedStretches(Events events, const std::vector<Interval>& pauses)
{
    std::vector<Events> stretches;
    for (std::size_t first = 0; first < events.size();) {
        const Interval* pause = firstPauseAfter(pauses, events[first].time.start);
        const std::int64_t until = pause != nullptr ? std::max(pause->start, events[first].time.start + 1)
                                                    : std::numeric_limits<std::int64_t>::max();
        std::size_t end = first + 1;
        while (end < events.size() && events[end].time.start < until) {
            ++end;
        }
        stretches.push_back(events.subspan(first, end - first));
        first = end;
    }
    return stretches;
}

/// Where in the pattern a step begins: after the longest pause between calls (optimizer, data, forward).
std::size_t findPhase(Events events, std::size_t period)
{
    std::vector<std::vector<std::int64_t>> pauses(period);
    for (std::size_t i = 1; i < events.size(); ++i) {
        pauses[i % period].push_back(events[i].time.start - events[i - 1].time.end);
    }
    std::size_t best = 0;
    for (std::size_t phase = 1; phase < period; ++phase) {
        if (median(pauses[phase]) > median(pauses[best])) {
            best = phase;
        }
    }
    return best;
}

/// By all that is known of the events, else by the calls alone.
std::size_t periodOf(const std::vector<RepeatedEvent>& events)
{
    for (const auto token : {&RepeatedEvent::fullToken, &RepeatedEvent::token}) {
        std::vector<std::uint64_t> tokens(events.size());
        std::transform(events.begin(), events.end(), tokens.begin(),
                       [token](const RepeatedEvent& event) { return event.*token; });
        if (const std::size_t period = findPeriod(tokens); period > 0) {
            return period;
        }
    }
    return 0;
}

std::vector<Step> stepsFromPeriod(const trace::ProcessTrace& process, const std::vector<Interval>& pauses)
{
    const std::vector<RepeatedEvent> events = repeatedEvents(process);
    const std::size_t period = periodOf(events);
    const auto starts = [](const RepeatedEvent& event) { return event.time.start; };
    const auto [first, last] = std::ranges::minmax_element(events, {}, starts);
    if (period == 0 ||
        starts(*first) == starts(*last)) { // a log's order without times holds no step's length
        return {};
    }
    std::vector<Step> steps;
    for (const Events& stretch : recordedStretches(events, pauses)) {
        for (std::size_t i = findPhase(stretch, period); i + period <= stretch.size(); i += period) {
            const auto number = static_cast<std::int64_t>(steps.size()) + 1;
            steps.push_back(
                {number, {stretch[i].time.start, stretch[i + period - 1].time.end}, std::nullopt});
        }
    }
    return tile(std::move(steps), pauses);
}

/// Per host step the first start and the last end of device work launched in it.
struct DeviceSpan {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
};

/// Step index of each launch row, steps.size() when outside of all. Launches are by start only within a
/// thread.
std::vector<std::uint32_t> stepOfLaunches(const std::vector<Step>& steps,
                                          const trace::LaunchColumns& launches)
{
    std::vector<std::uint32_t> result(launches.size());
    std::size_t step = 0;
    const auto holds = [&](std::size_t index, std::int64_t time) {
        return index < steps.size() && steps[index].host.start <= time && time < steps[index].host.end;
    };
    for (std::size_t row = 0; row < launches.size(); ++row) {
        const std::int64_t time = launches.startNs[row];
        if (!holds(step, time)) {
            const auto after =
                std::upper_bound(steps.begin(), steps.end(), time,
                                 [](std::int64_t t, const Step& s) { return t < s.host.start; });
            const auto candidate = static_cast<std::size_t>(after - steps.begin());
            step = candidate > 0 && holds(candidate - 1, time) ? candidate - 1 : steps.size();
        }
        result[row] = static_cast<std::uint32_t>(step);
    }
    return result;
}

template <typename Columns>
void growSpans(std::vector<DeviceSpan>& spans, const Columns& work, const LaunchIndex& launches,
               const std::vector<std::uint32_t>& stepOfLaunch, std::optional<std::uint32_t> device)
{
    for (std::size_t i = 0; i < work.size(); ++i) {
        if (device && work.device[i] != *device) {
            continue;
        }
        const auto launch = launches.find(work.correlation[i]);
        if (!launch || stepOfLaunch[*launch] >= spans.size()) {
            continue;
        }
        DeviceSpan& span = spans[stepOfLaunch[*launch]];
        span.first = std::min(span.first, work.startNs[i]);
        span.last = std::max(span.last, work.endNs[i]);
    }
}

/// A step lasts on the device until the next one's first work there. Where the next one left none, it lasts
/// until the end of its own; one whose work does not begin before the next one's has no time of its own.
void cutAtFirstWork(std::vector<Step>& steps, const std::vector<DeviceSpan>& spans)
{
    std::int64_t laterStart = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = steps.size(); i-- > 0;) {
        if (spans[i].last < spans[i].first || spans[i].first >= laterStart) {
            continue;
        }
        const bool tiles = i + 1 < steps.size() && steps[i + 1].device && !steps[i].pausedAfter;
        steps[i].device = Interval{spans[i].first, tiles ? laterStart : std::min(spans[i].last, laterStart)};
        laterStart = spans[i].first;
    }
}

/// Recording may begin or end within a step: those without a recorded neighbour on both sides may be parts.
void markBoundaries(std::vector<Step>& steps)
{
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const bool before = i > 0 && steps[i - 1].device && !steps[i - 1].pausedAfter;
        const bool after = i + 1 < steps.size() && steps[i + 1].device && !steps[i].pausedAfter;
        steps[i].boundary = steps[i].device && !(before && after);
    }
}

/// Without launch rows the host's step times stand in for the device's.
void useHostTimes(std::vector<Step>& steps, const trace::ProcessTrace& process)
{
    if (process.kernels.size() + process.copies.size() == 0) {
        return;
    }
    for (Step& step : steps) {
        step.device = step.host;
    }
}

} // namespace

std::size_t findPeriod(const std::vector<std::uint64_t>& tokens)
{
    constexpr std::size_t kMostTokens = 20'000; // bounds the quadratic search; a pattern shows long before
    constexpr double kLeastMatch = 0.9;
    const std::size_t count = std::min(tokens.size(), kMostTokens);
    // The tail: the head may hold set-up broadcasts that no step repeats.
    const std::uint64_t* const tail = tokens.data() + (tokens.size() - count);
    for (std::size_t period = 1; period * 3 <= count; ++period) {
        std::size_t equal = 0;
        for (std::size_t i = period; i < count; ++i) {
            equal += tail[i] == tail[i - period] ? 1U : 0U;
        }
        if (static_cast<double>(equal) >= kLeastMatch * static_cast<double>(count - period)) {
            return period;
        }
    }
    return 0;
}

HostSteps findHostSteps(const trace::ProcessTrace& process)
{
    const std::vector<Interval> pauses = pausesOf(process);
    if (auto steps = stepsFromMarks(process, pauses); !steps.empty()) {
        return {StepSource::Mark, std::move(steps)};
    }
    if (auto steps = stepsFromRanges(process, pauses); !steps.empty()) {
        return {StepSource::Range, std::move(steps)};
    }
    if (auto steps = stepsFromPeriod(process, pauses); !steps.empty()) {
        return {StepSource::Period, std::move(steps)};
    }
    return {};
}

void findDeviceSteps(std::vector<Step>& steps, const trace::ProcessTrace& process,
                     const LaunchIndex& launches, std::optional<std::uint32_t> device)
{
    if (launches.empty()) {
        useHostTimes(steps, process);
    } else {
        std::vector<DeviceSpan> spans(steps.size());
        const auto stepOfLaunch = stepOfLaunches(steps, process.launches);
        growSpans(spans, process.kernels, launches, stepOfLaunch, device);
        growSpans(spans, process.copies, launches, stepOfLaunch, device);
        cutAtFirstWork(steps, spans);
    }
    markBoundaries(steps);
}

} // namespace ringside::model
