// SPDX-License-Identifier: Apache-2.0
// Finds the launch of a correlation id. Ids are dense in practice: then a table, else a sorted list.
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
    [[nodiscard]] bool empty() const { return m_table.empty() && m_sorted.empty(); }

private:
    std::uint32_t m_first = 0;
    std::vector<std::uint32_t> m_table; ///< row + 1 of correlation m_first + i, 0: none
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_sorted; ///< correlation, row
};

} // namespace ringside::model
