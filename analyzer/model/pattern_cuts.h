// SPDX-License-Identifier: Apache-2.0
// Finds the copies of a pattern in a sequence. A copy in which a few records are missing or extra counts if
// it directly follows another copy. What lies between copies (an evaluation, a loss that is logged) belongs
// to none of them. Takes linear time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ringside::model {

struct Stretch {
    std::size_t first = 0;
    std::size_t end = 0; ///< one past the last
};

/// Returns the copies of `pattern` in `tokens`, ascending and disjoint.
[[nodiscard]] std::vector<Stretch> findCopies(std::span<const std::uint64_t> tokens,
                                              std::span<const std::uint64_t> pattern);

} // namespace ringside::model
