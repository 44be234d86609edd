// SPDX-License-Identifier: Apache-2.0
// Long lists of numbers, such as ranks, as the few runs that they consist of.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ringside::values {

/// The numbers first, first + step, ..., last.
struct NumberRun {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t step = 1; ///< 1 for a single number
    std::size_t count = 1;
};

/// Splits ascending numbers into runs. A run with a step of 1 has at least `leastInRow` numbers, with a
/// larger step at least six.
[[nodiscard]] std::vector<NumberRun> numberRuns(std::span<const std::int64_t> numbers,
                                                std::size_t leastInRow);

/// The most runs that a text for people lists.
inline constexpr std::size_t kMostRuns = 12;

/// Returns "no rank", "rank 2", "ranks 0 to 3 and 7", or with an end such as "and 9 more" where the list is
/// long.
[[nodiscard]] std::string rankList(std::vector<std::int64_t> ranks);

/// Returns how many numbers lie in the runs after the first `kMostRuns`.
[[nodiscard]] std::size_t numbersLeftOut(std::span<const NumberRun> runs);

} // namespace ringside::values
