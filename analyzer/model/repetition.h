// SPDX-License-Identifier: Apache-2.0
// The lengths after which a sequence repeats itself, on all scales: calls of a layer, of a batch, of a step,
// of the steps between two evaluations. Whoever looks at ever longer contexts and asks how far back each was
// seen last gets one length after the other. Takes n log n time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ringside::model {

struct Repetition {
    std::size_t length = 0;
    std::size_t first = 0; ///< where one cycle begins that the next one repeats
};

/// The shortest first. Each is there at least three times in a row and is the usual distance of contexts of
/// some length.
[[nodiscard]] std::vector<Repetition> findRepetitions(std::span<const std::uint64_t> tokens);

/// Of all stretches of one length, so that equal ones are found without being compared.
class StretchHashes final {
public:
    explicit StretchHashes(std::span<const std::uint64_t> tokens);
    /// `length` is that of all stretches that are compared with each other.
    [[nodiscard]] std::uint64_t of(std::size_t first, std::size_t length) const
    {
        return m_sums[first + length] - m_sums[first] * m_powers[length];
    }

private:
    std::vector<std::uint64_t> m_sums, m_powers;
};

/// A cycle of that length that the next one repeats, from the middle of where they are; null: there is none.
[[nodiscard]] std::optional<Repetition> findRepetition(const StretchHashes& hashes, std::size_t tokens,
                                                       std::size_t length);

} // namespace ringside::model
