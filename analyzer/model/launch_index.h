// SPDX-License-Identifier: Apache-2.0
// Finds the launch with a given correlation id. Ids are dense in practice: then one bit for each id says
// whether it has a launch, and the number of bits set before it gives the launch's place. Otherwise the index
// is a sorted list.
#pragma once
#include <ringside/trace/reader.h>

#include <optional>

namespace ringside::model {

class LaunchIndex final {
public:
    LaunchIndex() = default;
    explicit LaunchIndex(const trace::LaunchColumns& launches);
    /// Returns the row in the launch columns, or null if no launch has this id.
    [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t correlation) const;
    [[nodiscard]] bool empty() const { return m_words.empty() && m_sorted.empty(); }

private:
    /// Covers 64 ids.
    struct Word {
        std::uint64_t bits = 0;   ///< set for ids that have a launch
        std::uint32_t before = 0; ///< number of smaller ids that have a launch
    };
    void addDense(const trace::LaunchColumns& launches);
    /// Returns how many smaller ids have a launch. `id` is counted from m_first and has one itself.
    [[nodiscard]] std::uint32_t placeOf(std::uint32_t id) const;

    std::uint32_t m_first = 0;
    std::vector<Word> m_words;           ///< begins with correlation id m_first
    trace::Column<std::uint32_t> m_rows; ///< rows in the order of ids; empty if rows have that order already
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_sorted; ///< correlation, row
};

} // namespace ringside::model
