// SPDX-License-Identifier: Apache-2.0
// Intervals of time, and the conversion from a host's clock to run time. All times are integer ns.
#pragma once
#include "values/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace ringside::model {

/// Half open: start <= t < end.
struct Interval {
    std::int64_t start = 0;
    std::int64_t end = 0;
    [[nodiscard]] std::int64_t length() const { return end > start ? end - start : 0; }
    bool operator==(const Interval&) const = default;
};

[[nodiscard]] inline std::int64_t overlapLength(const Interval& a, const Interval& b)
{
    return std::max<std::int64_t>(0, std::min(a.end, b.end) - std::max(a.start, b.start));
}

/// Returns the sum, limited to the range of the type. It is for values from files, which could make a plain
/// sum overflow.
[[nodiscard]] inline std::int64_t addCapped(std::int64_t a, std::int64_t b)
{
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) {
        return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
    }
    return sum;
}

/// Returns the time that lies in at least one of the intervals. They may overlap and come in any order.
[[nodiscard]] inline std::int64_t lengthOfUnion(std::vector<Interval> intervals)
{
    std::sort(intervals.begin(), intervals.end(),
              [](const Interval& a, const Interval& b) { return a.start < b.start; });
    std::int64_t sum = 0;
    std::int64_t reached = std::numeric_limits<std::int64_t>::min();
    for (const Interval& each : intervals) {
        sum = addCapped(sum, overlapLength(each, {reached, std::numeric_limits<std::int64_t>::max()}));
        reached = std::max(reached, each.end);
    }
    return sum;
}

/// Converts CLOCK_MONOTONIC ns of a host to run time: ns since the run began, on the reference host's clock.
struct ClockMap {
    std::int64_t localReference = 0; ///< a moment on the host's own clock
    std::int64_t runReference = 0;   ///< the same moment in run time
    double drift = 0.0; ///< how much faster the host's clock runs than the reference's, as a ratio
    [[nodiscard]] std::int64_t toRun(std::int64_t local) const
    {
        const std::int64_t elapsed = local - localReference;
        if (drift == 0.0) {
            return runReference + elapsed;
        }
        return runReference + elapsed - std::llround(static_cast<double>(elapsed) * drift);
    }
};

using values::median;

} // namespace ringside::model
