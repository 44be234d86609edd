// SPDX-License-Identifier: Apache-2.0
// Finds the known name that is closest to a misspelt one, for "did you mean".
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::values {

/// Returns the number of letters that must be omitted, added, changed, or swapped with their neighbour, to
/// get from a to b.
[[nodiscard]] std::size_t editDistance(std::string_view a, std::string_view b);

/// Returns the name that `word` is a prefix of (three letters or more), or that differs from it in at most a
/// third of the letters (omitted, added, changed or swapped). Empty if there is none.
[[nodiscard]] std::string nearestName(std::string_view word, const std::vector<std::string>& names);

} // namespace ringside::values
