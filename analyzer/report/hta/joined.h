// SPDX-License-Identifier: Apache-2.0
// Joins events by correlation, as HTA joins calls with kernels.
#pragma once
#include "report/hta/frame.h"

#include <algorithm>
#include <span>

namespace ringside::report::hta {

class ByCorrelation final {
public:
    /// Returns the positions of the events that `wanted` selects; events of one correlation keep their order.
    template <class Wanted>
    ByCorrelation(const std::vector<Event>& events, const Wanted& wanted) : m_events(events)
    {
        for (std::size_t i = 0; i < events.size(); ++i) {
            if (wanted(events[i])) {
                m_positions.push_back(i);
            }
        }
        std::ranges::stable_sort(m_positions, {}, [&](std::size_t i) { return events[i].correlation; });
    }

    [[nodiscard]] std::span<const std::size_t> of(std::int64_t correlation) const
    {
        const auto key = [&](std::size_t i) { return m_events[i].correlation; };
        const auto first = std::ranges::lower_bound(m_positions, correlation, {}, key);
        const auto last = std::ranges::upper_bound(m_positions, correlation, {}, key);
        return {first, last};
    }

private:
    const std::vector<Event>& m_events;
    std::vector<std::size_t> m_positions;
};

/// Counts the rows of a join. Throws Error (Unusable) if a file would make them many more than its events: n
/// calls and m kernels of one correlation make n times m rows.
class JoinBudget final {
public:
    explicit JoinBudget(const Frame& frame);
    void take(std::size_t rows);

private:
    std::int64_t m_rank;
    std::size_t m_left;
};

} // namespace ringside::report::hta
