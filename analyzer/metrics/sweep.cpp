// SPDX-License-Identifier: Apache-2.0
#include "metrics/sweep.h"

#include <limits>

namespace ringside::metrics {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// Walks the union of all lanes of one class: disjoint intervals, ascending.
class UnionCursor final {
public:
    explicit UnionCursor(const std::vector<Lane>& lanes)
    {
        for (const Lane& lane : lanes) {
            if (lane.count > 0) {
                m_heads.push_back({lane.start[lane.row(0)], &lane, 0});
            }
        }
        advance();
    }
    [[nodiscard]] const Interval& current() const { return m_current; } ///< start is kNever at the end

    void advance()
    {
        std::size_t head = earliest();
        if (head == m_heads.size()) {
            m_current = {kNever, kNever};
            return;
        }
        m_current = {m_heads[head].start, m_heads[head].start};
        while (head != m_heads.size() && m_heads[head].start <= m_current.end) {
            take(m_heads[head]);
            head = earliest();
        }
    }

private:
    struct Head {
        std::int64_t start;
        const Lane* lane;
        std::size_t next;
    };

    [[nodiscard]] std::size_t earliest() const
    {
        std::size_t best = m_heads.size();
        std::int64_t start = kNever;
        for (std::size_t i = 0; i < m_heads.size(); ++i) {
            if (m_heads[i].start < start) {
                start = m_heads[i].start;
                best = i;
            }
        }
        return best;
    }

    /// Adds the head's intervals while they join what is there; one lane at a time keeps the reads in a row.
    void take(Head& head)
    {
        const Lane& lane = *head.lane;
        while (head.start <= m_current.end) {
            m_current.end = std::max(m_current.end, lane.end[lane.row(head.next)]);
            ++head.next;
            head.start = head.next < lane.count ? lane.start[lane.row(head.next)] : kNever;
        }
    }

    std::vector<Head> m_heads;
    Interval m_current;
};

class Sweeper final {
public:
    explicit Sweeper(const Lanes& lanes)
        : m_cursors{UnionCursor(lanes[0]), UnionCursor(lanes[1]), UnionCursor(lanes[2]),
                    UnionCursor(lanes[3])}
    {}

    void window(const Interval& window, SweepResult& result)
    {
        Coverage coverage;
        std::int64_t now = window.start;
        while (now < window.end) {
            const auto [active, next] = state(now);
            const std::int64_t until = std::min(next, window.end);
            coverage.ns[active] += until - now;
            if (active == 0) {
                result.idle.push_back({now, until});
            }
            now = until;
        }
        result.windows.push_back(coverage);
    }

private:
    struct State {
        unsigned active;
        std::int64_t next; ///< when it changes
    };

    State state(std::int64_t now)
    {
        State result{0, kNever};
        for (unsigned c = 0; c < kClasses; ++c) {
            while (m_cursors[c].current().end <= now) {
                m_cursors[c].advance();
            }
            const Interval& current = m_cursors[c].current();
            const bool on = current.start <= now;
            result.active |= on ? 1U << c : 0U;
            result.next = std::min(result.next, on ? current.end : current.start);
        }
        return result;
    }

    std::array<UnionCursor, kClasses> m_cursors;
};

} // namespace

std::int64_t Coverage::time(unsigned any, unsigned none) const
{
    std::int64_t sum = 0;
    for (unsigned mask = 0; mask < ns.size(); ++mask) {
        sum += (mask & any) != 0 && (mask & none) == 0 ? ns[mask] : 0;
    }
    return sum;
}

std::int64_t Coverage::together(unsigned all) const
{
    std::int64_t sum = 0;
    for (unsigned mask = 0; mask < ns.size(); ++mask) {
        sum += (mask & all) == all ? ns[mask] : 0;
    }
    return sum;
}

SweepResult sweep(const Lanes& lanes, std::span<const Interval> windows)
{
    Sweeper sweeper(lanes);
    SweepResult result;
    result.windows.reserve(windows.size());
    for (const Interval& window : windows) {
        sweeper.window(window, result);
    }
    return result;
}

} // namespace ringside::metrics
