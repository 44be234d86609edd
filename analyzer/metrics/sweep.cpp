// SPDX-License-Identifier: Apache-2.0
#include "metrics/sweep.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace ringside::metrics {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// Iterates over the union of all lanes of one class as disjoint, ascending intervals.
class UnionCursor final {
public:
    explicit UnionCursor(const std::vector<Lane>& lanes)
    {
        for (const Lane& lane : lanes) {
            if (lane.count > 0) {
                m_heads.push_back({lane.start(0), &lane, 0});
            }
        }
        m_first = earliest();
        advance();
    }
    /// Returns the current interval. Its start is kNever once the lanes are exhausted.
    [[nodiscard]] const Interval& current() const { return m_current; }

    void advance()
    {
        if (m_first == m_heads.size()) {
            m_current = {kNever, kNever};
            return;
        }
        m_current = {m_heads[m_first].start, m_heads[m_first].start};
        while (m_first != m_heads.size() && m_heads[m_first].start <= m_current.end) {
            joinHead(m_heads[m_first]);
            m_first = earliest();
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

    /// Extends the current interval by the head's intervals as long as they touch it. Working on one lane at
    /// a time keeps memory reads sequential.
    void joinHead(Head& head)
    {
        const Lane& lane = *head.lane;
        // Local copies stay in registers; the compiler must assume that the columns alias members.
        std::int64_t end = m_current.end;
        std::int64_t start = head.start;
        std::size_t next = head.next;
        while (start <= end) {
            end = std::max(end, lane.end(next));
            ++next;
            start = next < lane.count ? lane.start(next) : kNever;
        }
        m_current.end = end;
        head.start = start;
        head.next = next;
    }

    std::vector<Head> m_heads;
    std::size_t m_first = 0; ///< index of the earliest head; m_heads.size() if all lanes are exhausted
    Interval m_current;
};

class Sweeper final {
public:
    Sweeper(const Lanes& lanes, const IdleSink& onIdle)
        : m_onIdle(onIdle)
        , m_cursors{UnionCursor(lanes[0]), UnionCursor(lanes[1]), UnionCursor(lanes[2]),
                    UnionCursor(lanes[3])}
    {}

    Coverage window(const Interval& window)
    {
        Coverage coverage;
        std::int64_t now = window.start;
        for (unsigned c = 0; c < kClasses; ++c) {
            updateActivity(c, now);
        }
        while (now < window.end) {
            const std::int64_t until = std::min(earliestChange(), window.end);
            coverage.ns[m_active] += until - now;
            if (m_active == 0 && m_onIdle) {
                m_onIdle({now, until});
            }
            now = until;
            for (unsigned c = 0; c < kClasses; ++c) {
                if (m_next[c] == now) {
                    updateActivity(c, now);
                }
            }
        }
        return coverage;
    }

private:
    /// Compares in pairs, so that the compiler emits conditional moves instead of branches.
    [[nodiscard]] std::int64_t earliestChange() const
    {
        static_assert(kClasses == 4);
        return std::min(std::min(m_next[0], m_next[1]), std::min(m_next[2], m_next[3]));
    }

    /// Updates whether a class is active at `now`, and when that changes next.
    void updateActivity(unsigned c, std::int64_t now)
    {
        UnionCursor& cursor = m_cursors[c];
        while (cursor.current().end <= now) {
            cursor.advance();
        }
        const bool on = cursor.current().start <= now;
        m_active = on ? m_active | 1U << c : m_active & ~(1U << c);
        m_next[c] = on ? cursor.current().end : cursor.current().start;
    }

    const IdleSink& m_onIdle;
    std::array<UnionCursor, kClasses> m_cursors;
    std::array<std::int64_t, kClasses> m_next{};
    unsigned m_active = 0;
};

/// Finds the window of a set that contains a time. Times must ascend from call to call.
class WindowCursor final {
public:
    explicit WindowCursor(std::span<const Interval> windows) : m_windows(windows) {}
    /// Returns the index of the window, or null if no window contains `time`.
    [[nodiscard]] std::optional<std::size_t> at(std::int64_t time)
    {
        while (m_next < m_windows.size() && m_windows[m_next].end <= time) {
            ++m_next;
        }
        const bool inside = m_next < m_windows.size() && m_windows[m_next].start <= time;
        return inside ? std::optional(m_next) : std::nullopt;
    }

private:
    std::span<const Interval> m_windows;
    std::size_t m_next = 0;
};

/// Passes on the idle times of the first set's windows. The borders of other sets cut the sweep and with it
/// an idle time; this class joins the parts again.
class IdleJoiner final {
public:
    explicit IdleJoiner(const IdleSink& onIdle) : m_onIdle(onIdle) {}
    /// Reports that the sweep continues at `border`, in `window` of the first set or in none.
    void enter(std::optional<std::size_t> window, std::int64_t border)
    {
        if (window != m_window) {
            flush();
        }
        m_window = window;
        m_border = border;
    }
    void add(const Interval& gap)
    {
        if (!m_window) {
            return;
        }
        if (m_gap && m_gap->end == gap.start && gap.start == m_border) {
            m_gap->end = gap.end;
            return;
        }
        flush();
        m_gap = gap;
    }
    void flush()
    {
        if (m_gap && m_onIdle) {
            m_onIdle(*m_gap);
        }
        m_gap.reset();
    }

private:
    const IdleSink& m_onIdle;
    std::optional<std::size_t> m_window;
    std::int64_t m_border = 0;
    std::optional<Interval> m_gap;
};

/// Returns all starts and ends of windows, sorted. No window begins or ends between two of them.
std::vector<std::int64_t> bordersOf(std::span<const std::span<const Interval>> sets)
{
    std::vector<std::int64_t> borders;
    for (const auto& windows : sets) {
        for (const Interval& window : windows) {
            borders.push_back(window.start);
            borders.push_back(window.end);
        }
    }
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    return borders;
}

} // namespace

std::vector<Coverage> sweep(const Lanes& lanes, std::span<const Interval> windows, const IdleSink& onIdle)
{
    Sweeper sweeper(lanes, onIdle);
    std::vector<Coverage> result;
    result.reserve(windows.size());
    for (const Interval& window : windows) {
        result.push_back(sweeper.window(window));
    }
    return result;
}

std::vector<std::vector<Coverage>>
sweepTogether(const Lanes& lanes, std::span<const std::span<const Interval>> sets, const IdleSink& onIdle)
{
    std::vector<std::vector<Coverage>> result;
    std::vector<WindowCursor> cursors;
    for (const auto& windows : sets) {
        result.emplace_back(windows.size());
        cursors.emplace_back(windows);
    }
    IdleJoiner joiner(onIdle);
    const IdleSink toJoiner = [&joiner](const Interval& gap) { joiner.add(gap); };
    Sweeper sweeper(lanes, toJoiner);
    const std::vector<std::int64_t> borders = bordersOf(sets);
    std::vector<Coverage*> holders;
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
        holders.clear();
        for (std::size_t set = 0; set < sets.size(); ++set) {
            const auto window = cursors[set].at(borders[i]);
            if (set == 0) {
                joiner.enter(window, borders[i]);
            }
            if (window) {
                holders.push_back(&result[set][*window]);
            }
        }
        const Coverage coverage = holders.empty() ? Coverage() : sweeper.window({borders[i], borders[i + 1]});
        std::ranges::for_each(holders, [&](Coverage* holder) { *holder += coverage; });
    }
    joiner.flush();
    return result;
}

} // namespace ringside::metrics
