// SPDX-License-Identifier: Apache-2.0
// Medians and quantiles. Figures are values that occurred, so nothing is interpolated; only the tables of
// HolisticTraceAnalysis do so, since numpy does.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace ringside::values {

/// Middle value (lower one of two), or 0 of nothing. Takes its argument by value because it reorders.
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

/// The value whose place is nearest to `share` (0 to 1) of the way from the least to the most; 0 of nothing.
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

/// As numpy.quantile(method="linear") has it, to the last bit; of sorted values, at least one.
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
