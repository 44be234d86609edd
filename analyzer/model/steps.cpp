// SPDX-License-Identifier: Apache-2.0
#include "model/steps.h"

#include "model/optimizer_work.h"
#include "model/pauses.h"

#include <ringside/trace/recording_windows.h>
#include <ringside/trace/step_name.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace ringside::model {
namespace {

/// Sorts the steps, drops those that lie inside an earlier step or during which recording was paused, and
/// lets each step last until the next one begins.
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

void addMarks(const trace::ProcessTrace& process, StepsByDefinition& steps)
{
    for (const trace::StepRow& row : process.steps) {
        steps[kMarkedSteps].push_back({row.number, {row.startNs, row.endNs}, std::nullopt});
    }
}

/// Adds the ranges that are steps. `parse` returns the step that a name stands for, or null if it is none. It
/// is called once for each name.
template <typename Parse>
void addRanges(const trace::ProcessTrace& process, StepsByDefinition& steps, const Parse& parse)
{
    std::unordered_map<trace::StringId, std::optional<trace::StepName>> names;
    for (const trace::RangeRow& range : process.ranges) {
        auto [entry, fresh] = names.try_emplace(range.name);
        if (fresh) {
            entry->second = parse(process.text(range.name));
        }
        if (entry->second && range.endNs > range.startNs) {
            steps[kMarkedSteps + 1 + entry->second->priority].push_back(
                {entry->second->number.value_or(0), {range.startNs, range.endNs}, std::nullopt});
        }
    }
}

void tileAll(StepsByDefinition& steps, const trace::ProcessTrace& process)
{
    const std::vector<Interval> pauses = pausesOf(process);
    for (auto& [definition, each] : steps) {
        each = tile(std::move(each), pauses);
    }
    std::erase_if(steps, [](const auto& each) { return each.second.empty(); });
}

/// For one host step, the first start and the last end of device work that was launched in it.
struct DeviceSpan {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    std::int64_t firstLaunch = 0; ///< host time of the launch of the work that began first
    [[nodiscard]] bool empty() const { return last < first; }
};

/// Finds the threads of data loaders: those that launched no kernel. Their copies belong to steps that the
/// host has not reached yet, and run on the device in the middle of earlier steps. If the thread of no kernel
/// is known, no thread counts as a loader's.
class LoaderThreads final {
public:
    LoaderThreads(const trace::ProcessTrace& process, const LaunchIndex& launches)
    {
        std::optional<std::uint32_t> last; // consecutive kernels mostly come from one thread
        for (const std::uint32_t correlation : process.kernels.correlation) {
            const auto row = launches.find(correlation);
            const auto thread = row ? std::optional(process.launches.tid[*row]) : std::nullopt;
            if (thread && thread != last) {
                m_computing.insert(*thread);
                last = thread;
            }
        }
    }
    [[nodiscard]] bool contains(std::uint32_t thread) const
    {
        return !m_computing.empty() && !m_computing.contains(thread);
    }

private:
    std::unordered_set<std::uint32_t> m_computing;
};

/// Returns the step index of each launch row, or steps.size() if the launch lies outside all steps or comes
/// from a loader's thread. Launches are sorted by start only within a thread.
std::vector<std::uint32_t> stepOfLaunches(const std::vector<Step>& steps, const trace::ProcessTrace& process,
                                          const LaunchIndex& byCorrelation)
{
    const trace::LaunchColumns& launches = process.launches;
    const LoaderThreads loaders(process, byCorrelation);
    std::optional<std::uint32_t> thread;
    bool loads = false;
    std::vector<std::uint32_t> result(launches.size());
    std::size_t step = 0;
    const auto holds = [&](std::size_t index, std::int64_t time) {
        return index < steps.size() && steps[index].host.start <= time && time < steps[index].host.end;
    };
    for (std::size_t row = 0; row < launches.size(); ++row) {
        if (thread != launches.tid[row]) {
            thread = launches.tid[row];
            loads = loaders.contains(*thread);
        }
        const std::int64_t time = launches.startNs[row];
        if (!holds(step, time)) {
            const auto after =
                std::upper_bound(steps.begin(), steps.end(), time,
                                 [](std::int64_t t, const Step& s) { return t < s.host.start; });
            const auto candidate = static_cast<std::size_t>(after - steps.begin());
            step = candidate > 0 && holds(candidate - 1, time) ? candidate - 1 : steps.size();
        }
        result[row] = static_cast<std::uint32_t>(loads ? steps.size() : step);
    }
    return result;
}

template <typename Columns>
void growSpans(std::vector<DeviceSpan>& spans, const Columns& work, const trace::ProcessTrace& process,
               const LaunchIndex& launches, const std::vector<std::uint32_t>& stepOfLaunch,
               std::optional<std::uint32_t> device)
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
        if (work.startNs[i] < span.first) {
            span.first = work.startNs[i];
            span.firstLaunch = process.launches.startNs[*launch];
        }
        span.last = std::max(span.last, work.endNs[i]);
    }
}

/// Returns when the only step starts on the device. It starts with the host's mark, because the device waits
/// from then on, unless its first launch was queued behind work that does not belong to the step.
std::int64_t startOfOnly(const Step& step, const DeviceSpan& span)
{
    constexpr std::int64_t kQueuedNs = 1'000'000;
    return span.first - span.firstLaunch < kQueuedNs ? std::min(step.host.start, span.first) : span.first;
}

/// On the device a step lasts until the first work of the next step. If the next step has no work there, or
/// recording was paused, the step lasts until the end of its own work, and at least as long as on the host. A
/// step whose work does not begin before that of the next one gets no device time.
void cutAtFirstWork(std::vector<Step>& steps, const std::vector<DeviceSpan>& spans)
{
    const bool only = std::ranges::count_if(spans, [](const DeviceSpan& span) { return !span.empty(); }) == 1;
    std::int64_t laterStart = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = steps.size(); i-- > 0;) {
        if (spans[i].empty() || spans[i].first >= laterStart) {
            continue;
        }
        const bool tiles = i + 1 < steps.size() && steps[i + 1].device && !steps[i].pausedAfter;
        const std::int64_t ownEnd = std::max(spans[i].last, steps[i].host.end);
        steps[i].device = Interval{only ? startOfOnly(steps[i], spans[i]) : spans[i].first,
                                   tiles ? laterStart : std::min(ownEnd, laterStart)};
        laterStart = spans[i].first;
    }
}

/// Removes the device times of steps that were measured only in part. Device recording stays on a little
/// longer than its window, so that the work of the window's last step is complete; and it may begin later
/// than its window. Steps that the host began outside that time are parts. They keep their device times only
/// if no step of the run was measured completely.
void leaveOutParts(std::vector<Step>& steps, const trace::ProcessTrace& process, Extent extent)
{
    const auto device = std::ranges::find(process.tiers, trace::TierName("device"), &trace::TierRow::tier);
    const std::int64_t onNs = device == process.tiers.end() ? 0 : device->startNs.value_or(0);
    const auto isPart = [&](const Step& step) {
        // A window begins and ends with a step, but the clock is read separately for the two.
        constexpr std::int64_t kShare = 100;
        const std::int64_t begun = step.host.start + step.host.length() / kShare;
        return std::ranges::any_of(process.windows, [&](const trace::WindowRow& window) {
            const std::int64_t end = window.endNs.value_or(std::numeric_limits<std::int64_t>::max());
            const bool inside = window.startNs <= begun && begun < end;
            const bool late = window.startNs <= onNs && onNs < end && begun < onNs;
            return inside && (window.level == "light" || late);
        });
    };
    const auto isWhole = [&](const Step& step) { return step.device && !isPart(step); };
    if (extent == Extent::Whole && std::ranges::none_of(steps, isWhole)) {
        return;
    }
    for (Step& step : steps) {
        if (isPart(step)) {
            step.device.reset();
        }
    }
}

/// Marks steps without a recorded neighbour on both sides as boundaries. Recording may begin or end within
/// them.
void markBoundaries(std::vector<Step>& steps)
{
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const bool before = i > 0 && steps[i - 1].device && !steps[i - 1].pausedAfter;
        const bool after = i + 1 < steps.size() && steps[i + 1].device && !steps[i].pausedAfter;
        steps[i].boundary = steps[i].device && !(before && after);
    }
}

/// Marks steps as boundaries during which another client used CUPTI, because device work of that time was not
/// recorded.
void markHandedOver(std::vector<Step>& steps, const trace::ProcessTrace& process)
{
    for (const trace::WindowRow& window : process.windows) {
        if (!window.why.starts_with(trace::kHandedOver)) {
            continue;
        }
        const std::int64_t end = window.endNs.value_or(std::numeric_limits<std::int64_t>::max());
        const auto meets = [&](const Interval& time) {
            return time.start < end && window.startNs < time.end;
        };
        for (Step& step : steps) {
            step.boundary = step.boundary || (step.device && (meets(step.host) || meets(*step.device)));
        }
    }
}

/// Uses the host's step times for the device, if there are no launch rows.
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

StepsByDefinition markedSteps(const trace::ProcessTrace& process)
{
    StepsByDefinition steps;
    addMarks(process, steps);
    addRanges(process, steps, trace::parseStepName);
    tileAll(steps, process);
    return steps;
}

StepsByDefinition namedSteps(const trace::ProcessTrace& process, std::string_view name)
{
    StepsByDefinition steps;
    addRanges(process, steps, [name](std::string_view text) {
        return text.starts_with(name) ? trace::numberedName(text.substr(name.size())) : std::nullopt;
    });
    tileAll(steps, process);
    return steps;
}

StepsByDefinition optimizerSteps(const trace::ProcessTrace& process)
{
    StepsByDefinition steps;
    addRanges(process, steps, [](std::string_view text) {
        return isOptimizerRange(text) ? std::optional(trace::StepName{}) : std::nullopt;
    });
    tileAll(steps, process);
    return steps;
}

void findDeviceSteps(std::vector<Step>& steps, const trace::ProcessTrace& process,
                     const LaunchIndex& launches, std::optional<std::uint32_t> device, Extent extent)
{
    if (launches.empty() && extent == Extent::Whole) {
        useHostTimes(steps, process);
    } else if (!launches.empty()) { // else the launches of late kernels may be in another part
        std::vector<DeviceSpan> spans(steps.size());
        const auto stepOfLaunch = stepOfLaunches(steps, process, launches);
        growSpans(spans, process.kernels, process, launches, stepOfLaunch, device);
        growSpans(spans, process.copies, process, launches, stepOfLaunch, device);
        cutAtFirstWork(steps, spans);
        leaveOutParts(steps, process, extent);
    }
    markBoundaries(steps);
    markHandedOver(steps, process);
}

} // namespace ringside::model
