// SPDX-License-Identifier: Apache-2.0
// Distinguishes a lasting difference from one that chance explains in the steps that were recorded.
#pragma once
#include <cmath>
#include <vector>

namespace ringside::model {

/// Returns the mean of differences that vary from step to step. Returns 0 if the mean lies within three
/// standard errors of 0, or if there are fewer than two values.
[[nodiscard]] inline double lastingDifference(const std::vector<double>& values)
{
    constexpr double kStandardErrors = 3;
    const auto count = static_cast<double>(values.size());
    if (count < 2) {
        return 0;
    }
    double mean = 0;
    for (const double value : values) {
        mean += value / count;
    }
    double squares = 0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    return std::abs(mean) > kStandardErrors * std::sqrt(squares / (count - 1) / count) ? mean : 0.0;
}

} // namespace ringside::model
