// SPDX-License-Identifier: Apache-2.0
// Computes how likely chance alone explains what a rule has counted.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ringside::rules {

/// Returns the binomial coefficient: in how many ways `chosen` of `all` ranks can be chosen.
[[nodiscard]] double binomialCoefficient(std::size_t all, std::size_t chosen);

/// Returns P(X >= hits) for X binomial with `trials` and p = 1/groups, times `groups`, because any of the
/// groups could have been the conspicuous one (Bonferroni correction). At most 1.
[[nodiscard]] double probabilityByChance(std::size_t hits, std::size_t trials, double groups);

} // namespace ringside::rules
