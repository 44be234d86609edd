// SPDX-License-Identifier: Apache-2.0
#include "model/launch_index.h"

#include <algorithm>

namespace ringside::model {

LaunchIndex::LaunchIndex(const trace::LaunchColumns& launches)
{
    if (launches.size() == 0) {
        return;
    }
    const auto [low, high] = std::minmax_element(launches.correlation.begin(), launches.correlation.end());
    const std::size_t range = static_cast<std::size_t>(*high) - *low + 1;
    const auto rows = static_cast<std::uint32_t>(launches.size());
    if (range <= 8 * launches.size() + 1024) {
        m_first = *low;
        m_table.assign(range, 0);
        for (std::uint32_t row = 0; row < rows; ++row) {
            m_table[launches.correlation[row] - m_first] = row + 1;
        }
        return;
    }
    m_sorted.reserve(rows);
    for (std::uint32_t row = 0; row < rows; ++row) {
        m_sorted.emplace_back(launches.correlation[row], row);
    }
    std::sort(m_sorted.begin(), m_sorted.end());
}

std::optional<std::uint32_t> LaunchIndex::find(std::uint32_t correlation) const
{
    if (!m_table.empty()) {
        if (correlation < m_first || correlation - m_first >= m_table.size()) {
            return std::nullopt;
        }
        const std::uint32_t row = m_table[correlation - m_first];
        return row == 0 ? std::nullopt : std::optional(row - 1);
    }
    const auto found = std::lower_bound(m_sorted.begin(), m_sorted.end(), std::pair(correlation, 0U));
    if (found == m_sorted.end() || found->first != correlation) {
        return std::nullopt;
    }
    return found->second;
}

} // namespace ringside::model
