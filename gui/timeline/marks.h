// SPDX-License-Identifier: GPL-3.0-or-later
// Times that the user marked in a run. It needs no window.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::gui {

class Marks final {
public:
    static constexpr std::size_t kMost = 99;

    Marks() = default;
    explicit Marks(std::vector<std::int64_t> times) : m_times(std::move(times))
    {
        std::ranges::sort(m_times);
        m_times.erase(std::unique(m_times.begin(), m_times.end()), m_times.end());
        m_times.resize(std::min(m_times.size(), kMost));
    }
    /// Removes the nearest mark if it is within `slackNs`. Otherwise adds a mark if the limit is not reached.
    void toggle(std::int64_t timeNs, std::int64_t slackNs)
    {
        const auto distance = [timeNs](std::int64_t mark) { return std::abs(mark - timeNs); };
        const auto nearest = std::ranges::min_element(m_times, {}, distance);
        if (nearest != m_times.end() && distance(*nearest) <= slackNs) {
            m_times.erase(nearest);
        } else if (m_times.size() < kMost) {
            m_times.insert(std::ranges::lower_bound(m_times, timeNs), timeNs);
        }
    }
    [[nodiscard]] std::optional<std::int64_t> after(std::int64_t timeNs) const
    {
        const auto next = std::ranges::upper_bound(m_times, timeNs);
        return next == m_times.end() ? std::nullopt : std::optional(*next);
    }
    [[nodiscard]] std::optional<std::int64_t> before(std::int64_t timeNs) const
    {
        const auto next = std::ranges::lower_bound(m_times, timeNs);
        return next == m_times.begin() ? std::nullopt : std::optional(*(next - 1));
    }
    [[nodiscard]] const std::vector<std::int64_t>& times() const { return m_times; } ///< ascending

private:
    std::vector<std::int64_t> m_times; ///< run time
};

} // namespace ringside::gui
