// SPDX-License-Identifier: Apache-2.0
// A union of intervals that come nearly in order of their starts: sorted, disjoint. Adding one costs a few
// comparisons at the end of the list.
#pragma once
#include "values/interval.h"

namespace ringside::collector::summary {

using values::Interval;

class IntervalUnion final {
public:
    void add(Interval added)
    {
        if (added.end <= added.start) {
            return;
        }
        std::size_t at = m_intervals.size();
        while (at > 0 && m_intervals[at - 1].start > added.start) {
            --at;
        }
        if (at > 0 && m_intervals[at - 1].end >= added.start) {
            --at;
            m_intervals[at].end = std::max(m_intervals[at].end, added.end);
        } else {
            m_intervals.insert(m_intervals.begin() + static_cast<std::ptrdiff_t>(at), added);
        }
        swallowAfter(at);
    }
    [[nodiscard]] const std::vector<Interval>& intervals() const { return m_intervals; }
    [[nodiscard]] std::int64_t length() const
    {
        std::int64_t sum = 0;
        for (const Interval& each : m_intervals) {
            sum += each.end - each.start;
        }
        return sum;
    }
    void clear() { m_intervals.clear(); }

private:
    void swallowAfter(std::size_t at)
    {
        std::size_t next = at + 1;
        while (next < m_intervals.size() && m_intervals[next].start <= m_intervals[at].end) {
            m_intervals[at].end = std::max(m_intervals[at].end, m_intervals[next].end);
            ++next;
        }
        m_intervals.erase(m_intervals.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                          m_intervals.begin() + static_cast<std::ptrdiff_t>(next));
    }

    std::vector<Interval> m_intervals;
};

} // namespace ringside::collector::summary
