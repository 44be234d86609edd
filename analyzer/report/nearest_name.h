// SPDX-License-Identifier: Apache-2.0
// Which known name somebody meant who wrote another one: "did you mean".
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ringside::report {

/// The one of `names` that `word` is a slip of: a beginning of it, or at most a third of its letters left
/// out, added, changed or swapped. Empty: none.
[[nodiscard]] std::string nearestName(std::string_view word, const std::vector<std::string>& names);

} // namespace ringside::report
