// SPDX-License-Identifier: Apache-2.0
// Spans that never overlap, by start: one line of a timeline. Answers what is to be drawn in a stretch of
// time at a given resolution, at a cost that depends on how many pixels that has.
#pragma once
#include "model/time.h"
#include "timeline/forest.h"

#include <optional>
#include <vector>

namespace ringside::timeline {

using model::Interval;

/// What a span is; it also says in which table its row is.
enum class SpanKind : std::uint8_t {
    Step,          ///< row: of Rank::steps
    Compute,       ///< row: of the kernels, as for the next three
    Communication, ///< nobody knows who came when
    Wait,          ///< the part of a communication kernel before the last rank came
    Transfer,      ///< the part after it
    Copy,          ///< row: of the copies
    Range,         ///< row: of the user ranges; marks are empty ranges
    ApiCall,       ///< row: of the API calls
    NcclCall,      ///< row: of the collective calls
    NcclGroup,     ///< row: of the groups
    Launch,        ///< row: of the launches
};
inline constexpr std::size_t kSpanKinds = 11;

struct Span {
    Interval time; ///< run time
    SpanKind kind = SpanKind::Step;
    std::uint32_t row = 0;
};

/// One rectangle: a span, or several that lie in one pixel. `time` goes from the first begin to the last end.
struct Bar {
    Interval time;
    std::int64_t longestNs = 0; ///< of one of its spans, which gives the rectangle its colour
    std::uint32_t longest = 0;  ///< the index of that span
    std::uint32_t first = 0;
    std::uint32_t count = 1;
    SpanKind kind = SpanKind::Step; ///< of the longest
};

class Lane final {
public:
    /// By start; a begin before the end of the span in front of it is moved there.
    void add(const Span& span);
    /// After the last one, before the first question.
    void finish();

    [[nodiscard]] std::size_t size() const { return m_start.size(); }
    [[nodiscard]] Span span(std::size_t index) const
    {
        return {{m_start[index], m_end[index]}, m_kind[index], m_row[index]};
    }
    /// What to draw of `range`, by start, no two bars beginning within one multiple of `resolutionNs`
    /// (rounded down to a power of two, at least 1), so that panning moves a picture and does not change it.
    [[nodiscard]] std::vector<Bar> bars(const Interval& range, std::int64_t resolutionNs) const;
    /// The span at a moment, or the nearest one not farther away than `slackNs`.
    [[nodiscard]] std::optional<std::size_t> at(std::int64_t timeNs, std::int64_t slackNs = 0) const;
    /// The first that ends after `timeNs`; size() if none does.
    [[nodiscard]] std::size_t firstEndingAfter(std::int64_t timeNs) const;
    /// The first that begins at `timeNs` or later; size() if none does.
    [[nodiscard]] std::size_t firstStartingFrom(std::int64_t timeNs) const;
    [[nodiscard]] Interval extent() const;
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    /// All bars at one resolution, so that wide pictures are not made of single spans. Each level has at most
    /// a sixteenth of the bars of the finer one where work is spread evenly.
    struct Level {
        int shift = 0; ///< log2 of the resolution in ns
        std::vector<Bar> bars;
    };
    class Spans;
    class Bars;
    void addLevels();
    template <class Source>
    [[nodiscard]] std::vector<Bar> merged(const Source& source, const Interval& range, int shift) const;
    void takeLongest(Bar& bar, std::size_t first, std::size_t last) const;
    [[nodiscard]] std::int64_t length(std::size_t index) const { return m_end[index] - m_start[index]; }

    std::vector<std::int64_t> m_start, m_end;
    std::vector<std::uint32_t> m_row;
    std::vector<SpanKind> m_kind;
    Forest m_longest;
    std::vector<Level> m_levels; ///< finest first
};

} // namespace ringside::timeline
