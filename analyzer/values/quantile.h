// SPDX-License-Identifier: Apache-2.0
// Medians and quantiles. Results are values that occurred, without interpolation. Only the tables of
// HolisticTraceAnalysis interpolate, because numpy does.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace ringside::values {

/// Returns the middle value (the lower one of two), or 0 if there are no values. Takes its argument by value
/// because it reorders it.
template <typename T>
[[nodiscard]] T median(std::vector<T> values)
{
    if (values.empty()) {
        return T{};
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Returns the value whose rank is nearest to `share` (0 to 1) of the way from the smallest to the largest,
/// or 0 if there are no values.
template <typename T>
[[nodiscard]] T quantile(std::vector<T> values, double share)
{
    if (values.empty()) {
        return T{};
    }
    const auto last = static_cast<double>(values.size() - 1);
    const auto position = values.begin() + static_cast<std::ptrdiff_t>(std::llround(share * last));
    std::nth_element(values.begin(), position, values.end());
    return *position;
}

/// Returns by how much each value is below the middle one of the others (the lower one of two); negative
/// where it is above. Requires at least two values.
template <typename T>
[[nodiscard]] std::vector<T> belowTheOthers(const std::vector<T>& values)
{
    std::vector<T> sorted = values;
    std::ranges::sort(sorted);
    const std::size_t middle = (sorted.size() - 2) / 2;
    std::vector<T> below;
    for (const T& value : values) {
        // Of the others, sorted: those without one entry that equals `value`.
        const auto own = static_cast<std::size_t>(std::ranges::lower_bound(sorted, value) - sorted.begin());
        below.push_back(sorted[middle < own ? middle : middle + 1] - value);
    }
    return below;
}

/// Returns the same as numpy.quantile(method="linear"), to the last bit. Requires at least one value.
[[nodiscard]] inline double interpolatedQuantile(std::span<const double> sorted, double share)
{
    constexpr double kHalf = 0.5;
    const double place = static_cast<double>(sorted.size() - 1) * share;
    const auto below = static_cast<std::size_t>(place);
    const double low = sorted[below];
    const double high = sorted[std::min(below + 1, sorted.size() - 1)];
    const double part = place - static_cast<double>(below);
    return part >= kHalf ? high - (high - low) * (1.0 - part) : low + (high - low) * part;
}

} // namespace ringside::values
