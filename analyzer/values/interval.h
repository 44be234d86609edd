// SPDX-License-Identifier: Apache-2.0
// Intervals of time and their unions, for the collector and the analyzer. All times are integer ns.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace ringside::values {

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

/// Returns the union as ascending, disjoint intervals. The arguments may overlap and come in any order.
[[nodiscard]] inline std::vector<Interval> unite(std::vector<Interval> intervals)
{
    std::ranges::sort(intervals, {}, &Interval::start);
    std::vector<Interval> united;
    for (const Interval& each : intervals) {
        if (!united.empty() && each.start <= united.back().end) {
            united.back().end = std::max(united.back().end, each.end);
        } else if (each.length() > 0) {
            united.push_back(each);
        }
    }
    return united;
}

/// Returns the time that lies in at least one of the intervals.
[[nodiscard]] inline std::int64_t lengthOfUnion(std::vector<Interval> intervals)
{
    std::int64_t sum = 0;
    for (const Interval& each : unite(std::move(intervals))) {
        sum = addCapped(sum, each.length());
    }
    return sum;
}

/// Returns the time of `span` that ascending, disjoint intervals cover.
[[nodiscard]] inline std::int64_t coveredWithin(const std::vector<Interval>& united, const Interval& span)
{
    std::int64_t sum = 0;
    for (auto it = std::ranges::upper_bound(united, span.start, {}, &Interval::end);
         it != united.end() && it->start < span.end; ++it) {
        sum += overlapLength(*it, span);
    }
    return sum;
}

/// Returns the index of the item whose interval contains `time`; null if there is none. The intervals ascend
/// and do not overlap; `intervalOf` is a member or a function that gives that of an item.
template <class Items, class IntervalOf = std::identity>
[[nodiscard]] std::optional<std::size_t> indexAt(const Items& items, std::int64_t time,
                                                 const IntervalOf& intervalOf = {})
{
    const auto startOf = [&](const auto& item) { return std::invoke(intervalOf, item).start; };
    const auto after = std::ranges::upper_bound(items, time, {}, startOf);
    if (after == std::ranges::begin(items) || time >= std::invoke(intervalOf, *std::prev(after)).end) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(after - std::ranges::begin(items)) - 1;
}

} // namespace ringside::values
