// SPDX-License-Identifier: Apache-2.0
// Events by correlation: what HTA's joins of calls with kernels find.
#pragma once
#include "report/hta/frame.h"

#include <algorithm>
#include <span>

namespace ringside::report::hta {

class ByCorrelation final {
public:
    /// Positions of the events that `wanted` picks; those of a correlation keep their order.
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

/// Counts the rows of a join. Throws Error (Unusable) where a file makes them many more than its events: each
/// of n calls with each of m kernels of one correlation.
class JoinBudget final {
public:
    explicit JoinBudget(const Frame& frame);
    void take(std::size_t rows);

private:
    std::int64_t m_rank;
    std::size_t m_left;
};

} // namespace ringside::report::hta
