// SPDX-License-Identifier: Apache-2.0
#include "timeline/lane.h"

namespace ringside::timeline {
namespace {

/// The first multiple of `step` above `value`; the largest number where there is none.
std::int64_t multipleAbove(std::int64_t value, std::int64_t step)
{
    const std::int64_t rest = value % step;
    return model::addCapped(value, rest < 0 ? -rest : step - rest);
}

} // namespace

void Lane::add(const Span& span)
{
    const std::int64_t start = m_end.empty() ? span.time.start : std::max(span.time.start, m_end.back());
    m_start.push_back(start);
    m_end.push_back(std::max(start, span.time.end));
    m_kind.push_back(span.kind);
    m_row.push_back(span.row);
}

void Lane::finish()
{
    m_longest = Forest(size(), [this](std::size_t i) { return m_end[i] - m_start[i]; });
    m_start.shrink_to_fit();
    m_end.shrink_to_fit();
    m_kind.shrink_to_fit();
    m_row.shrink_to_fit();
}

std::vector<Bar> Lane::bars(const Interval& range, std::int64_t resolutionNs) const
{
    const std::int64_t resolution = std::max<std::int64_t>(1, resolutionNs);
    const auto length = [this](std::size_t i) { return m_end[i] - m_start[i]; };
    std::vector<Bar> result;
    std::size_t next = 0;
    for (std::size_t i = firstEndingAfter(range.start); i < size() && m_start[i] < range.end; i = next) {
        next = nextBucket(i, multipleAbove(std::max(m_start[i], range.start), resolution));
        result.push_back({{m_start[i], m_end[next - 1]}, i, next - i, m_longest.largest(i, next, length)});
    }
    return result;
}

/// Gallops, because the next bucket is often near.
std::size_t Lane::nextBucket(std::size_t index, std::int64_t endNs) const
{
    std::size_t low = index;
    std::size_t step = 1;
    while (low + step < size() && m_start[low + step] < endNs) {
        low += step;
        step *= 2;
    }
    const auto begin = m_start.begin() + static_cast<std::ptrdiff_t>(low);
    const auto end = m_start.begin() + static_cast<std::ptrdiff_t>(std::min(size(), low + step));
    const auto found = static_cast<std::size_t>(std::lower_bound(begin, end, endNs) - m_start.begin());
    return std::max(found, index + 1);
}

std::optional<std::size_t> Lane::at(std::int64_t timeNs, std::int64_t slackNs) const
{
    const std::size_t next = firstEndingAfter(timeNs);
    std::optional<std::size_t> best;
    std::int64_t distance = slackNs;
    if (next < size() && m_start[next] - timeNs <= distance) {
        best = next;
        distance = std::max<std::int64_t>(0, m_start[next] - timeNs);
    }
    if (next > 0 && timeNs - m_end[next - 1] < distance) {
        best = next - 1;
    }
    return best;
}

std::size_t Lane::firstEndingAfter(std::int64_t timeNs) const
{
    return static_cast<std::size_t>(std::upper_bound(m_end.begin(), m_end.end(), timeNs) - m_end.begin());
}

std::size_t Lane::firstStartingFrom(std::int64_t timeNs) const
{
    return static_cast<std::size_t>(std::lower_bound(m_start.begin(), m_start.end(), timeNs) -
                                    m_start.begin());
}

Interval Lane::extent() const
{
    return m_start.empty() ? Interval{} : Interval{m_start.front(), m_end.back()};
}

std::size_t Lane::memoryBytes() const
{
    return m_start.capacity() * sizeof(std::int64_t) + m_end.capacity() * sizeof(std::int64_t) +
           m_row.capacity() * sizeof(std::uint32_t) + m_kind.capacity() * sizeof(SpanKind) +
           m_longest.memoryBytes();
}

} // namespace ringside::timeline
