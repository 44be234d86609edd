// SPDX-License-Identifier: Apache-2.0
// Spans that never overlap, sorted by start: one row of a timeline. It returns what to draw of a range of
// time at a resolution, at a cost that depends on the number of pixels.
#pragma once
#include "model/time.h"
#include "timeline/forest.h"

#include <array>
#include <limits>
#include <optional>
#include <vector>

namespace ringside::timeline {

using model::Interval;

/// The kind of a span. It also determines the table of `row`.
enum class SpanKind : std::uint8_t {
    Step,          ///< row: index into Rank::steps
    Compute,       ///< row: index into the kernels; the same for the next three
    Communication, ///< the arrivals of its collective are unknown
    Wait,          ///< the part of a communication kernel before the last arrival
    Transfer,      ///< the part after the last arrival
    Copy,          ///< row: index into the copies
    Range,         ///< row: index into the user ranges; marks are empty ranges
    ApiCall,       ///< row: index into the API calls
    NcclCall,      ///< row: index into the collective calls
    NcclGroup,     ///< row: index into the groups
    Launch,        ///< row: index into the launches
    PythonCall,    ///< row: index into the Python calls
};
inline constexpr std::size_t kSpanKinds = 12;

struct Span {
    Interval time; ///< run time
    SpanKind kind = SpanKind::Step;
    std::uint32_t row = 0;
};

/// One rectangle: a span, or several spans within one pixel. `time` goes from the first begin to the last
/// end.
struct Bar {
    Interval time;
    std::int64_t longestNs = 0; ///< length of the longest span, which determines the colour
    std::uint32_t longest = 0;  ///< index of that span
    std::uint32_t first = 0;
    std::uint32_t count = 1;
    SpanKind kind = SpanKind::Step; ///< of the longest span
};

/// A number of ns, or a share, for each kind of span.
template <class Number>
using ByKind = std::array<Number, kSpanKinds>;

class Lane final {
public:
    /// Spans must be added by start. A begin before the end of the preceding span is moved there.
    void add(const Span& span);
    /// Call it after the last span, before the first query.
    void finish();

    [[nodiscard]] std::size_t size() const { return m_row.size(); }
    [[nodiscard]] Span span(std::size_t index) const
    {
        const std::int64_t begin = start(index);
        return {{begin, begin + length(index)}, m_kind[index], m_row[index]};
    }
    /// Returns what to draw of `range`, by start. No two bars begin within the same multiple of
    /// `resolutionNs` (rounded down to a power of two, at least 1), so that panning moves a picture without
    /// changing it.
    [[nodiscard]] std::vector<Bar> bars(const Interval& range, std::int64_t resolutionNs) const;
    /// Returns how many ns the spans [first, last) take, by kind. The cost does not grow with their number.
    [[nodiscard]] ByKind<std::int64_t> timeOf(std::size_t first, std::size_t last) const;
    /// Returns the span at a time, or the nearest one within `slackNs`.
    [[nodiscard]] std::optional<std::size_t> at(std::int64_t timeNs, std::int64_t slackNs = 0) const;
    /// Returns the first span that ends after `timeNs`; size() if none does.
    [[nodiscard]] std::size_t firstEndingAfter(std::int64_t timeNs) const;
    /// Returns the first span that begins at `timeNs` or later; size() if none does.
    [[nodiscard]] std::size_t firstStartingFrom(std::int64_t timeNs) const;
    [[nodiscard]] Interval extent() const;
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    /// A bar of a level, without what its spans say. It ends before the first span of the next one.
    struct LevelBar {
        std::int64_t start = 0;
        std::uint32_t first = 0;     ///< index of its first span
        std::uint32_t longest = 0;   ///< index of its longest span
        std::uint32_t longestNs = 0; ///< kFar: not below that
    };
    /// All bars at one resolution, so that a wide range is not drawn from single spans. If work is spread
    /// evenly, a level has at most a sixteenth of the bars of the next finer one.
    struct Level {
        int shift = 0; ///< log2 of the resolution in ns
        std::vector<LevelBar> bars;
    };
    /// The times of kBlock spans take 32 bits each, so that a span takes half of the memory: their starts
    /// count from the first of them. Where one of them does not fit (4.3 s), all are in m_far.
    struct Block {
        std::int64_t startNs = 0;
        std::uint32_t far = kFar; ///< of its first span in m_far; kFar: none is there
    };
    static constexpr std::size_t kBlock = 128;
    static constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();
    class Spans;
    class Bars;
    void addTime(const Interval& time);
    void addLevels();
    void addSums();
    template <class Source>
    [[nodiscard]] std::vector<Bar> merged(const Source& source, const Interval& range, int shift) const;
    [[nodiscard]] std::vector<LevelBar> levelOf(const std::vector<Bar>& bars) const;
    void takeLongest(Bar& bar, std::size_t first, std::size_t last) const;
    [[nodiscard]] const Interval& farTime(std::size_t index) const
    {
        return m_far[m_blocks[index / kBlock].far + index % kBlock];
    }
    [[nodiscard]] bool isFar(std::size_t index) const { return m_blocks[index / kBlock].far != kFar; }
    [[nodiscard]] std::int64_t start(std::size_t index) const
    {
        return isFar(index) ? farTime(index).start : m_blocks[index / kBlock].startNs + m_offset[index];
    }
    [[nodiscard]] std::int64_t length(std::size_t index) const
    {
        return isFar(index) ? farTime(index).length() : m_length[index];
    }
    [[nodiscard]] std::int64_t end(std::size_t index) const { return start(index) + length(index); }

    std::vector<Block> m_blocks;
    std::vector<std::uint32_t> m_offset, m_length; ///< ns; of spans that are in m_far without meaning
    std::vector<Interval> m_far;
    std::vector<std::uint32_t> m_row;
    std::vector<SpanKind> m_kind;
    Forest m_longest;
    /// Time of all spans of one kind before each kSumEvery-th span.
    struct Sums {
        SpanKind kind;
        std::vector<std::int64_t> beforeNs;
    };
    std::vector<Sums> m_sums;    ///< of the kinds that the lane holds
    std::vector<Level> m_levels; ///< finest first
};

} // namespace ringside::timeline
