// SPDX-License-Identifier: Apache-2.0
#include "model/recording_step.h"

#include <ringside/trace/recording_windows.h>

#include <algorithm>
#include <limits>

namespace ringside::model {
namespace {

/// From the first begin to the last end of all that is added; empty while nothing was.
struct Extent {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();

    void add(std::int64_t start, std::int64_t end)
    {
        first = std::min(first, start);
        last = std::max(last, end);
    }
    [[nodiscard]] bool empty() const { return last < first; }
};

template <typename Columns>
void addWork(Extent& extent, const Columns& work, const Rank& rank)
{
    for (std::size_t i = 0; i < work.size(); ++i) {
        if (rank.owns(work.device[i])) {
            extent.add(work.startNs[i], work.endNs[i]);
        }
    }
}

/// The host works before the device begins and behind it. Another tool's recording is a window that somebody
/// chose: it holds what the host did in it, too. Ours begins with the process, which loads for a while.
void addHost(Extent& extent, const trace::ProcessTrace& process, bool imported)
{
    for (std::size_t i = 0; i < process.launches.size(); ++i) {
        extent.add(process.launches.startNs[i], process.launches.startNs[i]);
    }
    for (const trace::RangeRow& range : process.ranges) {
        if (imported && range.endNs > range.startNs) {
            extent.add(range.startNs, range.endNs);
        }
    }
}

/// When the warm-up was over; null: the recorder knows of none, or it lasted to the end.
std::optional<std::int64_t> endOfRecordedWarmUp(const trace::ProcessTrace& process)
{
    std::optional<std::int64_t> end;
    for (const trace::WindowRow& window : process.windows) {
        if (window.endNs && window.why.starts_with(trace::kWarmUp)) {
            end = std::max(end.value_or(*window.endNs), *window.endNs);
        }
    }
    return end;
}

bool isUnmeasured(const trace::WindowRow& window)
{
    return window.why.starts_with(trace::kHandedOver) || window.level == "light" || window.level == "paused";
}

/// The longest stretch in which the device was measured all the time: what it did in between is not known to
/// have been nothing.
Interval longestMeasured(const Interval& all, const trace::ProcessTrace& process)
{
    Interval longest{all.start, all.start};
    std::int64_t from = all.start;
    const auto take = [&](std::int64_t until) {
        if (until - from > longest.end - longest.start) {
            longest = {from, until};
        }
    };
    for (const trace::WindowRow& window : process.windows) { // by start
        const std::int64_t end = window.endNs.value_or(all.end);
        if (isUnmeasured(window) && window.startNs < all.end && end > from) {
            take(window.startNs);
            from = end;
        }
    }
    take(all.end);
    return longest;
}

/// On the rank's clock, without the warm-up where at least as much comes after it. Null: it has no device
/// work.
std::optional<Interval> recordingOf(const Model& model, const Rank& rank)
{
    const trace::ProcessTrace& process = model.processOf(rank);
    Extent extent;
    addWork(extent, process.kernels, rank);
    addWork(extent, process.copies, rank);
    if (extent.empty()) {
        return std::nullopt;
    }
    if (!rank.device) { // else launches may be for the process's other devices
        addHost(extent, process, model.imported);
    }
    const std::optional<std::int64_t> warm = endOfRecordedWarmUp(process);
    if (warm && *warm > extent.first && extent.last - *warm >= *warm - extent.first) {
        extent.first = *warm;
    }
    return longestMeasured({extent.first, extent.last + 1}, process);
}

/// In run time. Null: it is shorter than half of what a rank usually has.
std::optional<Interval> sharedWindow(const Model& model, const std::vector<std::optional<Interval>>& own)
{
    Interval shared{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (own[i]) {
            const ClockMap& clock = model.ranks[i].clock;
            shared.start = std::max(shared.start, clock.toRun(own[i]->start));
            shared.end = std::min(shared.end, clock.toRun(own[i]->end));
            lengths.push_back(own[i]->length());
        }
    }
    const bool enough = shared.start < shared.end && 2 * shared.length() >= median(std::move(lengths));
    return enough ? std::optional(shared) : std::nullopt;
}

/// The part of a rank's own recording that lies in a stretch of run time.
Interval partOf(const Interval& own, const ClockMap& clock, const Interval& shared)
{
    const std::int64_t before = shared.start - clock.toRun(own.start);
    const std::int64_t behind = clock.toRun(own.end) - shared.end;
    return {own.start + std::max<std::int64_t>(0, before), own.end - std::max<std::int64_t>(0, behind)};
}

} // namespace

void takeRecordingForStep(Model& model)
{
    std::vector<std::optional<Interval>> own;
    for (const Rank& rank : model.ranks) {
        own.push_back(recordingOf(model, rank));
    }
    const std::optional<Interval> shared = sharedWindow(model, own);
    std::int64_t apart = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (own[i]) {
            Rank& rank = model.ranks[i];
            const Interval window = shared ? partOf(*own[i], rank.clock, *shared) : *own[i];
            rank.steps = {{.number = 1, .host = window, .device = window, .boundary = true}};
            rank.stepSource = StepSource::Recording;
            apart += shared ? 0 : 1;
        }
    }
    if (apart > 1) {
        model.issues.push_back({trace::Issue::RecordingsApart, apart,
                                "ranks were hardly recorded at the same time: the figures of each are of its "
                                "own recording"});
    }
}

} // namespace ringside::model
