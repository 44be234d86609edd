// SPDX-License-Identifier: Apache-2.0
// Tells what is always so from what happened to be so in the steps that were seen.
#pragma once
#include <cmath>
#include <vector>

namespace ringside::model {

/// Mean of differences that vary from step to step, 0 while chance explains it: up to three standard errors.
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
