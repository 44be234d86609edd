// SPDX-License-Identifier: Apache-2.0
#include "model/launch_index.h"

#include <algorithm>
#include <bit>

namespace ringside::model {
namespace {

constexpr std::uint32_t kWordBits = 64;

std::uint64_t bitOf(std::uint32_t id)
{
    return std::uint64_t{1} << id % kWordBits;
}

} // namespace

LaunchIndex::LaunchIndex(const trace::LaunchColumns& launches)
{
    if (launches.size() == 0) {
        return;
    }
    std::uint32_t low = launches.correlation.front();
    std::uint32_t high = low;
    for (const std::uint32_t correlation : launches.correlation) {
        low = std::min(low, correlation);
        high = std::max(high, correlation);
    }
    const std::size_t range = static_cast<std::size_t>(high) - low + 1;
    if (range <= 8 * launches.size() + 1024) {
        m_first = low;
        m_words.resize((range + kWordBits - 1) / kWordBits);
        addDense(launches);
        return;
    }
    m_sorted.reserve(launches.size());
    for (std::size_t row = 0; row < launches.size(); ++row) {
        m_sorted.emplace_back(launches.correlation[row], static_cast<std::uint32_t>(row));
    }
    std::sort(m_sorted.begin(), m_sorted.end());
}

/// If several launches have the same id, the last one counts.
void LaunchIndex::addDense(const trace::LaunchColumns& launches)
{
    bool inOrder = true; // ids ascend, and each occurs once
    std::int64_t previous = -1;
    for (const std::uint32_t correlation : launches.correlation) {
        const std::uint32_t id = correlation - m_first;
        m_words[id / kWordBits].bits |= bitOf(id);
        inOrder = inOrder && std::int64_t{id} > previous;
        previous = id;
    }
    std::uint32_t before = 0;
    for (Word& word : m_words) {
        word.before = before;
        before += static_cast<std::uint32_t>(std::popcount(word.bits));
    }
    if (inOrder) {
        return;
    }
    std::vector<std::uint32_t> rows(before);
    for (std::size_t row = 0; row < launches.size(); ++row) {
        rows[placeOf(launches.correlation[row] - m_first)] = static_cast<std::uint32_t>(row);
    }
    m_rows.append(rows);
}

std::uint32_t LaunchIndex::placeOf(std::uint32_t id) const
{
    const Word& word = m_words[id / kWordBits];
    return word.before + static_cast<std::uint32_t>(std::popcount(word.bits & (bitOf(id) - 1)));
}

std::optional<std::uint32_t> LaunchIndex::find(std::uint32_t correlation) const
{
    if (!m_words.empty()) {
        const std::uint32_t id = correlation - m_first;
        if (correlation < m_first || id / kWordBits >= m_words.size() ||
            (m_words[id / kWordBits].bits & bitOf(id)) == 0) {
            return std::nullopt;
        }
        const std::uint32_t place = placeOf(id);
        return m_rows.empty() ? place : m_rows[place];
    }
    const auto found = std::lower_bound(m_sorted.begin(), m_sorted.end(), std::pair(correlation, 0U));
    if (found == m_sorted.end() || found->first != correlation) {
        return std::nullopt;
    }
    return found->second;
}

} // namespace ringside::model
