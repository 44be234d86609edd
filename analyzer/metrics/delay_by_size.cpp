// SPDX-License-Identifier: Apache-2.0
#include "metrics/delay_by_size.h"

#include "model/time.h"
#include "values/quantile.h"

#include <algorithm>
#include <cmath>

namespace ringside::metrics {

SizedTransfers sizedTransfers(double bytes, const std::vector<std::int64_t>& transferNs)
{
    constexpr double kBest = 0.1;
    // Ratios for a normal distribution: standard deviation to median absolute deviation, and standard error
    // of the median to that of the mean.
    constexpr double kDeviation = 1.4826;
    constexpr double kMedian = 1.2533;
    const auto median = static_cast<double>(model::median(transferNs));
    std::vector<double> deviations;
    deviations.reserve(transferNs.size());
    for (const std::int64_t ns : transferNs) {
        deviations.push_back(std::abs(static_cast<double>(ns) - median));
    }
    const auto count = static_cast<double>(std::max<std::size_t>(1, transferNs.size()));
    return {bytes, static_cast<double>(values::quantile(transferNs, kBest)), median,
            kMedian * kDeviation * model::median(deviations) / std::sqrt(count)};
}

std::optional<double> delayNsPerByte(const SizedTransfers& of, std::span<const SizedTransfers> others)
{
    constexpr double kApart = 2;
    constexpr double kErrors = 2;
    std::vector<double> slopes;
    for (const SizedTransfers& other : others) {
        if (std::max(of.bytes, other.bytes) < kApart * std::min(of.bytes, other.bytes)) {
            continue;
        }
        const double growth = (of.medianNs - of.bestNs) - (other.medianNs - other.bestNs);
        const double error = kErrors * std::hypot(of.medianErrorNs, other.medianErrorNs);
        const double bytes = of.bytes - other.bytes;
        slopes.push_back(std::max(0.0, (growth / bytes) - (error / std::abs(bytes))));
    }
    return slopes.empty() ? std::nullopt : std::optional(model::median(slopes));
}

} // namespace ringside::metrics
