// SPDX-License-Identifier: Apache-2.0
// Cuts a sequence wherever a pattern's copies lie in it. A copy that lost a few records, or holds a few more,
// counts where it follows another one; what lies between copies (an evaluation, a loss that is logged)
// belongs to none. Takes linear time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ringside::model {

struct Stretch {
    std::size_t first = 0;
    std::size_t end = 0; ///< behind its last
};

/// Ascending and disjoint.
[[nodiscard]] std::vector<Stretch> findCopies(std::span<const std::uint64_t> tokens,
                                              std::span<const std::uint64_t> pattern);

} // namespace ringside::model
