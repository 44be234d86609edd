// SPDX-License-Identifier: Apache-2.0
// Finds the launch of a correlation id. Ids are dense in practice: then a bit an id says whether there is a
// launch, and the bits before it how many come first; else a sorted list.
#pragma once
#include <ringside/trace/reader.h>

#include <optional>

namespace ringside::model {

class LaunchIndex final {
public:
    LaunchIndex() = default;
    explicit LaunchIndex(const trace::LaunchColumns& launches);
    /// Row of the launch columns.
    [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t correlation) const;
    [[nodiscard]] bool empty() const { return m_words.empty() && m_sorted.empty(); }

private:
    /// 64 ids.
    struct Word {
        std::uint64_t bits = 0;   ///< those that have a launch
        std::uint32_t before = 0; ///< launches of smaller ids
    };
    void addDense(const trace::LaunchColumns& launches);
    [[nodiscard]] std::uint32_t
    placeOf(std::uint32_t id) const; ///< of an id that has a launch, counted from m_first

    std::uint32_t m_first = 0;
    std::vector<Word> m_words;           ///< from correlation m_first on
    trace::Column<std::uint32_t> m_rows; ///< in the order of ids; empty: they are in that order already
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_sorted; ///< correlation, row
};

} // namespace ringside::model
