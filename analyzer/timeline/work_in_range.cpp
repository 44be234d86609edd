// SPDX-License-Identifier: Apache-2.0
#include "timeline/work_in_range.h"

#include <array>

namespace ringside::timeline {

WorkInRange::WorkInRange(std::span<const Track> tracks, const Interval& range)
{
    for (const Track& track : tracks) {
        for (const Lane& lane : track.lanes) {
            if (track.kind == TrackKind::Stream) {
                add(lane, range);
            }
        }
    }
}

void WorkInRange::add(const Lane& lane, const Interval& range)
{
    std::array<Times*, metrics::kClasses> times{};
    const auto put = [&](metrics::Class to, const Interval& time) {
        if (times[to] == nullptr) {
            times[to] = &m_times.emplace_back();
            times[to]->of = to;
        }
        times[to]->starts.push_back(time.start);
        times[to]->ends.push_back(time.end);
    };
    for (std::size_t i = lane.firstEndingAfter(range.start); i < lane.size(); ++i) {
        const Span span = lane.span(i);
        if (span.time.start >= range.end) {
            break;
        }
        switch (span.kind) {
        case SpanKind::Compute:
            put(metrics::kCompute, span.time);
            break;
        case SpanKind::Copy:
            put(metrics::kCopy, span.time);
            break;
        case SpanKind::Wait:
            put(metrics::kCommunication, span.time);
            break;
        default: // the last arrival is unknown: all of it counts as transfer, as in a step
            put(metrics::kCommunication, span.time);
            put(metrics::kTransfer, span.time);
        }
    }
}

std::vector<metrics::Coverage> WorkInRange::sweep(std::span<const Interval> windows) const
{
    metrics::Lanes lanes;
    for (const Times& times : m_times) {
        lanes[times.of].push_back({&times.starts, &times.ends, nullptr, {}, times.starts.size()});
    }
    return metrics::sweep(lanes, windows);
}

} // namespace ringside::timeline
