// SPDX-License-Identifier: Apache-2.0
// Finds the known name that is closest to a misspelt one, for "did you mean".
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ringside::report {

/// Returns the name that `word` is a prefix of (three letters or more), or that differs from it in at most a
/// third of the letters (omitted, added, changed or swapped). Empty if there is none.
[[nodiscard]] std::string nearestName(std::string_view word, const std::vector<std::string>& names);

} // namespace ringside::report
