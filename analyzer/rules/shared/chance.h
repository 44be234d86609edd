// SPDX-License-Identifier: Apache-2.0
// How likely chance alone gives what a rule has counted.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ringside::rules {

/// In how many ways so many ranks can be chosen of all.
[[nodiscard]] double choices(std::size_t all, std::size_t chosen);

/// P(X >= hits) for a binomial X, times the groups that could have been the one.
[[nodiscard]] double chanceOf(std::size_t hits, std::size_t trials, double groups);

} // namespace ringside::rules
