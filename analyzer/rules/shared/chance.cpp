// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/chance.h"

#include <algorithm>

namespace ringside::rules {

double binomialCoefficient(std::size_t all, std::size_t chosen)
{
    const auto n = static_cast<double>(all);
    const auto k = static_cast<double>(chosen);
    return std::round(std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)));
}

double probabilityByChance(std::size_t hits, std::size_t trials, double groups)
{
    const double p = 1.0 / groups;
    const auto n = static_cast<double>(trials);
    double sum = 0;
    for (std::size_t k = hits; k <= trials; ++k) {
        const auto x = static_cast<double>(k);
        sum += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) + x * std::log(p) +
                        (n - x) * std::log1p(-p));
    }
    return std::min(1.0, sum * groups);
}

} // namespace ringside::rules
