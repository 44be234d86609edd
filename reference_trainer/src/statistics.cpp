// SPDX-License-Identifier: Apache-2.0
#include "statistics.h"

#include <algorithm>
#include <cmath>

namespace ringside::trainer {

std::optional<double> percentile(std::vector<double> values, double fraction)
{
    if (values.empty())
        return std::nullopt;
    const double rank = std::ceil(fraction * static_cast<double>(values.size()));
    const auto index = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
    std::nth_element(values.begin(), values.begin() + index, values.end());
    return values[static_cast<std::size_t>(index)];
}

} // namespace ringside::trainer
