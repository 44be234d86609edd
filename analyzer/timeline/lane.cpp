// SPDX-License-Identifier: Apache-2.0
#include "timeline/lane.h"

#include <bit>

namespace ringside::timeline {
namespace {

constexpr std::size_t kFewSpans = 1024; ///< for fewer spans, a level is not worth its memory
/// bars of a level combine this many of the level below on average
constexpr std::int64_t kSpansABar = 16;
/// a bucket with more spans is searched by bisection: work is spread unevenly there
constexpr std::size_t kScannedOneByOne = 32;
/// sums of times are stored for every so many spans
constexpr std::size_t kSumEvery = 64;

/// Returns floor(log2) of a resolution.
int shiftOf(std::int64_t resolutionNs)
{
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(1, resolutionNs));
    return static_cast<int>(std::bit_width(value)) - 1;
}

/// Returns the first index of [low, high) for which `isBehind` holds, as it does for all after it; else
/// `high`.
template <class IsBehind>
std::size_t bisect(std::size_t low, std::size_t high, const IsBehind& isBehind)
{
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (isBehind(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/// Returns the first index from `from` on for which `isBehind` holds. Uses galloping search, because the
/// index is often near.
template <class IsBehind>
std::size_t gallop(std::size_t from, std::size_t size, const IsBehind& isBehind)
{
    std::size_t low = from;
    std::size_t step = 1;
    while (low + step < size && !isBehind(low + step)) {
        low += step;
        step *= 2;
    }
    return bisect(low, std::min(size, low + step), isBehind);
}

} // namespace

/// The finest input of bars: every span is one.
class Lane::Spans final {
public:
    explicit Spans(const Lane& lane) : m_lane(lane) {}
    [[nodiscard]] std::size_t size() const { return m_lane.size(); }
    [[nodiscard]] std::int64_t start(std::size_t i) const { return m_lane.start(i); }
    [[nodiscard]] std::size_t firstEndingAfter(std::int64_t timeNs) const
    {
        return m_lane.firstEndingAfter(timeNs);
    }
    [[nodiscard]] Bar operator[](std::size_t i) const
    {
        const auto index = static_cast<std::uint32_t>(i);
        return {m_lane.span(i).time, m_lane.length(i), index, index, 1, m_lane.m_kind[i]};
    }

private:
    const Lane& m_lane;
};

/// The input from a level.
class Lane::Bars final {
public:
    Bars(const Lane& lane, const std::vector<LevelBar>& bars) : m_lane(lane), m_bars(bars) {}
    [[nodiscard]] std::size_t size() const { return m_bars.size(); }
    [[nodiscard]] std::int64_t start(std::size_t i) const { return m_bars[i].start; }
    [[nodiscard]] std::size_t firstEndingAfter(std::int64_t timeNs) const
    {
        return bisect(0, size(), [&](std::size_t i) { return m_lane.end(behind(i) - 1) > timeNs; });
    }
    [[nodiscard]] Bar operator[](std::size_t i) const
    {
        const LevelBar& bar = m_bars[i];
        const std::int64_t longestNs = bar.longestNs < kFar ? bar.longestNs : m_lane.length(bar.longest);
        const auto count = static_cast<std::uint32_t>(behind(i) - bar.first);
        return {{bar.start, m_lane.end(behind(i) - 1)},
                longestNs,
                bar.longest,
                bar.first,
                count,
                m_lane.m_kind[bar.longest]};
    }

private:
    /// Returns the first span behind a bar.
    [[nodiscard]] std::size_t behind(std::size_t i) const
    {
        return i + 1 < m_bars.size() ? m_bars[i + 1].first : m_lane.size();
    }

    const Lane& m_lane;
    const std::vector<LevelBar>& m_bars;
};

void Lane::add(const Span& span)
{
    const std::int64_t start = size() == 0 ? span.time.start : std::max(span.time.start, end(size() - 1));
    addTime({start, std::max(start, span.time.end)});
    m_kind.push_back(span.kind);
    m_row.push_back(span.row);
}

void Lane::addTime(const Interval& time)
{
    const std::size_t index = size();
    if (index % kBlock == 0) {
        m_blocks.push_back({time.start, kFar});
    }
    Block& block = m_blocks.back();
    // times of damaged traces may be as far from each other as 64 bits allow
    const auto offset = static_cast<std::uint64_t>(time.start) - static_cast<std::uint64_t>(block.startNs);
    const auto length = static_cast<std::uint64_t>(time.end) - static_cast<std::uint64_t>(time.start);
    if (block.far == kFar && std::max(offset, length) >= kFar) {
        const auto far = static_cast<std::uint32_t>(m_far.size());
        for (std::size_t i = index - index % kBlock; i < index; ++i) {
            m_far.push_back(span(i).time);
        }
        block.far = far;
    }
    if (block.far != kFar) {
        m_far.push_back(time);
    }
    m_offset.push_back(static_cast<std::uint32_t>(offset));
    m_length.push_back(static_cast<std::uint32_t>(length));
}

void Lane::finish()
{
    m_blocks.shrink_to_fit();
    m_offset.shrink_to_fit();
    m_length.shrink_to_fit();
    m_far.shrink_to_fit();
    m_kind.shrink_to_fit();
    m_row.shrink_to_fit();
    m_longest = Forest(size(), [this](std::size_t i) { return length(i); });
    addSums();
    addLevels();
}

void Lane::addSums()
{
    std::array<bool, kSpanKinds> occurs{};
    for (const SpanKind kind : m_kind) {
        occurs[static_cast<std::size_t>(kind)] = true;
    }
    for (std::size_t k = 0; k < kSpanKinds; ++k) {
        if (occurs[k]) {
            Sums& sums = m_sums.emplace_back(Sums{static_cast<SpanKind>(k), {}});
            sums.beforeNs.reserve(size() / kSumEvery + 1);
            std::int64_t sum = 0;
            for (std::size_t i = 0; i < size(); ++i) {
                if (i % kSumEvery == 0) {
                    sums.beforeNs.push_back(sum);
                }
                sum += m_kind[i] == sums.kind ? length(i) : 0;
            }
        }
    }
}

ByKind<std::int64_t> Lane::timeOf(std::size_t first, std::size_t last) const
{
    ByKind<std::int64_t> result{};
    const auto add = [&](std::size_t from, std::size_t to, std::int64_t sign) {
        for (std::size_t i = from; i < to; ++i) {
            result[static_cast<std::size_t>(m_kind[i])] += sign * length(i);
        }
    };
    if (last - first <= 2 * kSumEvery) {
        add(first, last, 1);
        return result;
    }
    const std::size_t from = first / kSumEvery;
    const std::size_t to = last / kSumEvery;
    for (const Sums& sums : m_sums) {
        const std::size_t end = std::min(to, sums.beforeNs.size() - 1);
        result[static_cast<std::size_t>(sums.kind)] = sums.beforeNs[end] - sums.beforeNs[from];
    }
    add(from * kSumEvery, first, -1);
    add(std::min(to, (size() - 1) / kSumEvery) * kSumEvery, last, 1);
    return result;
}

void Lane::addLevels()
{
    if (size() < kFewSpans) {
        return;
    }
    const Interval all{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    const auto spans = static_cast<std::int64_t>(size());
    int shift = shiftOf(extent().length() / spans) + shiftOf(kSpansABar) + 1;
    m_levels.push_back({shift, levelOf(merged(Spans(*this), all, shift))});
    while (m_levels.back().bars.size() >= kFewSpans) {
        shift += shiftOf(kSpansABar);
        m_levels.push_back({shift, levelOf(merged(Bars(*this, m_levels.back().bars), all, shift))});
    }
}

std::vector<Lane::LevelBar> Lane::levelOf(const std::vector<Bar>& bars) const
{
    std::vector<LevelBar> level;
    level.reserve(bars.size());
    for (const Bar& bar : bars) {
        const auto longestNs = static_cast<std::uint32_t>(std::min<std::int64_t>(kFar, bar.longestNs));
        level.push_back({bar.time.start, bar.first, bar.longest, longestNs});
    }
    return level;
}

std::vector<Bar> Lane::bars(const Interval& range, std::int64_t resolutionNs) const
{
    const int shift = shiftOf(resolutionNs);
    const auto finer = std::find_if(m_levels.rbegin(), m_levels.rend(),
                                    [shift](const Level& level) { return level.shift <= shift; });
    return finer == m_levels.rend() ? merged(Spans(*this), range, shift)
                                    : merged(Bars(*this, finer->bars), range, shift);
}

template <class Source>
std::vector<Bar> Lane::merged(const Source& source, const Interval& range, int shift) const
{
    std::vector<Bar> result;
    std::size_t i = source.firstEndingAfter(range.start);
    while (i < source.size() && source.start(i) < range.end) {
        const std::size_t first = i;
        const std::int64_t bucket = source.start(i) >> shift;
        const auto isBehind = [&](std::size_t at) { return source.start(at) >> shift > bucket; };
        Bar bar = source[i++];
        for (; i < source.size() && i - first < kScannedOneByOne && !isBehind(i); ++i) {
            const Bar& next = source[i];
            if (next.longestNs > bar.longestNs) {
                bar.longest = next.longest;
                bar.longestNs = next.longestNs;
                bar.kind = next.kind;
            }
        }
        if (i < source.size() && i - first == kScannedOneByOne && !isBehind(i)) {
            i = gallop(i, source.size(), isBehind);
            takeLongest(bar, bar.first, source[i - 1].first + source[i - 1].count);
        }
        const Bar& last = source[i - 1];
        bar.time.end = last.time.end;
        bar.count = last.first + last.count - bar.first;
        result.push_back(bar);
    }
    return result;
}

void Lane::takeLongest(Bar& bar, std::size_t first, std::size_t last) const
{
    const std::size_t longest = m_longest.largest(first, last, [this](std::size_t i) { return length(i); });
    bar.longest = static_cast<std::uint32_t>(longest);
    bar.longestNs = length(longest);
    bar.kind = m_kind[longest];
}

std::optional<std::size_t> Lane::at(std::int64_t timeNs, std::int64_t slackNs) const
{
    const std::size_t next = firstEndingAfter(timeNs);
    std::optional<std::size_t> best;
    std::int64_t distance = slackNs;
    if (next < size() && start(next) - timeNs <= distance) {
        best = next;
        distance = std::max<std::int64_t>(0, start(next) - timeNs);
    }
    if (next > 0 && timeNs - end(next - 1) < distance) {
        best = next - 1;
    }
    return best;
}

std::size_t Lane::firstEndingAfter(std::int64_t timeNs) const
{
    return bisect(0, size(), [&](std::size_t i) { return end(i) > timeNs; });
}

std::size_t Lane::firstStartingFrom(std::int64_t timeNs) const
{
    return bisect(0, size(), [&](std::size_t i) { return start(i) >= timeNs; });
}

Interval Lane::extent() const
{
    return size() == 0 ? Interval{} : Interval{start(0), end(size() - 1)};
}

std::size_t Lane::memoryBytes() const
{
    const auto bytesOf = [](const auto& list) { return list.capacity() * sizeof(list[0]); };
    std::size_t sum = bytesOf(m_blocks) + bytesOf(m_offset) + bytesOf(m_length) + bytesOf(m_far) +
                      bytesOf(m_row) + bytesOf(m_kind) + m_longest.memoryBytes();
    for (const Level& level : m_levels) {
        sum += bytesOf(level.bars);
    }
    for (const Sums& each : m_sums) {
        sum += bytesOf(each.beforeNs);
    }
    return sum;
}

} // namespace ringside::timeline
