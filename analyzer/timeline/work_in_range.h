// SPDX-License-Identifier: Apache-2.0
// The spans of a rank's streams within a range of run time, by class, for the sweep that also computes the
// parts of a step. Private to timeline/.
#pragma once
#include "metrics/sweep.h"
#include "timeline/track.h"

#include <deque>

namespace ringside::timeline {

class WorkInRange final {
public:
    /// Takes the spans of all streams among `tracks`, which are those of one rank.
    WorkInRange(std::span<const Track> tracks, const Interval& range);
    /// Returns the coverage of each window. Windows must ascend and must not overlap.
    [[nodiscard]] std::vector<metrics::Coverage> sweep(std::span<const Interval> windows) const;

private:
    struct Times {
        metrics::Class of = metrics::kCompute;
        trace::Column<std::int64_t> starts, ends;
    };
    void add(const Lane& lane, const Interval& range);

    std::deque<Times> m_times; ///< a deque keeps their addresses
};

} // namespace ringside::timeline
