// SPDX-License-Identifier: Apache-2.0
#include "model/unrecorded_device.h"

#include <ringside/trace/recording_windows.h>

#include <algorithm>

namespace ringside::model {

bool isWithoutDevice(const trace::WindowRow& window)
{
    return window.why.starts_with(trace::kHandedOver) || window.level == "light" || window.level == "paused";
}

std::vector<Interval> unrecordedDevice(const Model& model, const Rank& rank, const Interval& range)
{
    std::vector<Interval> parts;
    for (const trace::WindowRow& window : model.processOf(rank).windows) { // sorted by start
        if (!isWithoutDevice(window)) {
            continue;
        }
        const Interval part{std::max(range.start, rank.clock.toRun(window.startNs)),
                            window.endNs ? std::min(range.end, rank.clock.toRun(*window.endNs)) : range.end};
        if (part.start >= part.end) {
            continue;
        }
        if (!parts.empty() && part.start <= parts.back().end) {
            parts.back().end = std::max(parts.back().end, part.end);
        } else {
            parts.push_back(part);
        }
    }
    return parts;
}

std::vector<Interval> recordedDevice(const Model& model, const Rank& rank, const Interval& range)
{
    std::vector<Interval> rest;
    std::int64_t from = range.start;
    for (const Interval& part : unrecordedDevice(model, rank, range)) {
        if (part.start > from) {
            rest.push_back({from, part.start});
        }
        from = part.end;
    }
    if (from < range.end) {
        rest.push_back({from, range.end});
    }
    return rest;
}

} // namespace ringside::model
