// SPDX-License-Identifier: GPL-3.0-or-later
// Times that the user marked in a run, with names. It needs no window.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside::gui {

class Marks final {
public:
    static constexpr std::size_t kMost = 99;
    static constexpr std::size_t kLongestName = 200; ///< bytes

    Marks() = default;
    /// Names by time (run time); an empty name is none. Of more than kMost marks, the first ones are taken.
    explicit Marks(const std::map<std::int64_t, std::string>& names)
    {
        for (const auto& [time, name] : names) {
            if (m_times.size() < kMost) {
                m_times.push_back(time);
                rename(time, name);
            }
        }
    }
    /// Removes the nearest mark if it is within `slackNs`. Otherwise adds a mark if the limit is not reached.
    void toggle(std::int64_t timeNs, std::int64_t slackNs)
    {
        if (const auto near = nearest(timeNs, slackNs)) {
            m_times.erase(std::ranges::find(m_times, *near));
            m_names.erase(*near);
        } else if (m_times.size() < kMost) {
            m_times.insert(std::ranges::lower_bound(m_times, timeNs), timeNs);
        }
    }
    [[nodiscard]] std::optional<std::int64_t> nearest(std::int64_t timeNs, std::int64_t slackNs) const
    {
        const auto distance = [timeNs](std::int64_t mark) { return std::abs(mark - timeNs); };
        const auto found = std::ranges::min_element(m_times, {}, distance);
        return found != m_times.end() && distance(*found) <= slackNs ? std::optional(*found) : std::nullopt;
    }
    void rename(std::int64_t timeNs, std::string name)
    {
        m_names.erase(timeNs);
        if (!name.empty() && name.size() <= kLongestName) {
            m_names[timeNs] = std::move(name);
        }
    }
    /// Returns an empty text for a mark without a name.
    [[nodiscard]] std::string nameOf(std::int64_t timeNs) const
    {
        const auto found = m_names.find(timeNs);
        return found == m_names.end() ? std::string() : found->second;
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
    std::map<std::int64_t, std::string> m_names;
};

} // namespace ringside::gui
