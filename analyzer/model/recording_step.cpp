// SPDX-License-Identifier: Apache-2.0
#include "model/recording_step.h"

#include "model/unrecorded_device.h"

#include <ringside/trace/recording_windows.h>

#include <algorithm>
#include <limits>

namespace ringside::model {
namespace {

/// The time from the first begin to the last end of everything that was added; empty if nothing was added.
struct RecordedSpan {
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
void addWork(RecordedSpan& extent, const Columns& work, const Rank& rank)
{
    for (std::size_t i = 0; i < work.size(); ++i) {
        if (rank.owns(work.device[i])) {
            extent.add(work.startNs[i], work.endNs[i]);
        }
    }
}

/// Adds the host's work, which lies before and after that of the device. Ranges count only in recordings of
/// other tools, where the user chose the window. Ringside's own recordings begin with the process, which
/// spends some time on loading.
void addHost(RecordedSpan& extent, const trace::ProcessTrace& process, bool imported)
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

/// Returns when the warm-up ended. Returns null if the recorder marked none, or if it lasted to the end.
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

/// Returns the longest stretch in which the device was measured all the time. Gaps are left out, because the
/// device was not necessarily idle in them.
Interval longestMeasured(const Interval& all, const trace::ProcessTrace& process)
{
    Interval longest{all.start, all.start};
    std::int64_t from = all.start;
    const auto take = [&](std::int64_t until) {
        if (until - from > longest.end - longest.start) {
            longest = {from, until};
        }
    };
    for (const trace::WindowRow& window : process.windows) { // sorted by start
        const std::int64_t end = window.endNs.value_or(all.end);
        if (isWithoutDevice(window) && window.startNs < all.end && end > from) {
            take(window.startNs);
            from = end;
        }
    }
    take(all.end);
    return longest;
}

/// Returns what was recorded of a rank, on its clock. The warm-up is left out if at least as much time
/// follows it. Returns null if the rank has no device work.
std::optional<Interval> recordingOf(const Model& model, const Rank& rank)
{
    const trace::ProcessTrace& process = model.processOf(rank);
    RecordedSpan extent;
    addWork(extent, process.kernels, rank);
    addWork(extent, process.copies, rank);
    if (extent.empty()) {
        return std::nullopt;
    }
    if (!rank.device) { // otherwise launches may belong to other devices of the process
        addHost(extent, process, model.imported);
    }
    const std::optional<std::int64_t> warm = endOfRecordedWarmUp(process);
    if (warm && *warm > extent.first && extent.last - *warm >= *warm - extent.first) {
        extent.first = *warm;
    }
    return longestMeasured({extent.first, extent.last + 1}, process);
}

/// Returns the stretch, in run time, in which all ranks were recorded. Returns null if it is shorter than
/// half of the median length of a rank's recording.
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

/// Returns the part of a rank's own recording, on its clock, that lies in a stretch of run time.
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
