// SPDX-License-Identifier: Apache-2.0
// Finds the lengths after which a sequence repeats itself, on all scales: the calls of a layer, of a batch,
// of a step, of the steps between two evaluations. It looks at ever longer contexts (1, 2, 4... tokens), and
// for each finds how far back the same context occurred last. Takes n log n time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ringside::model {

struct Repetition {
    std::size_t length = 0;
    std::size_t first = 0; ///< begin of a cycle that the next cycle repeats
};

/// Returns the repetitions, the shortest first. The sequence holds at least three times each length, and each
/// length is the usual distance between equal contexts of some length.
[[nodiscard]] std::vector<Repetition> findRepetitions(std::span<const std::uint64_t> tokens);

/// Hashes of the stretches of a sequence, so that equal stretches are found without comparing their tokens.
class StretchHashes final {
public:
    explicit StretchHashes(std::span<const std::uint64_t> tokens);
    /// Returns the hash of one stretch. Only hashes of stretches of the same length can be compared.
    [[nodiscard]] std::uint64_t of(std::size_t first, std::size_t length) const
    {
        return m_sums[first + length] - m_sums[first] * m_powers[length];
    }

private:
    std::vector<std::uint64_t> m_sums, m_powers;
};

/// Returns a cycle of the given length that the next cycle repeats. Of all such places it takes the middle
/// one. `tokens` is the length of the sequence. Returns null if there is none.
[[nodiscard]] std::optional<Repetition> findRepetition(const StretchHashes& hashes, std::size_t tokens,
                                                       std::size_t length);

} // namespace ringside::model
