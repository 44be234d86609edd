// SPDX-License-Identifier: Apache-2.0
// One rank in a few pixels: how much of the time its GPU computed, waited in collectives, communicated and
// copied, over all its streams. The parts are those of a step (values/breakdown.h): unions of intervals,
// and communication and copies count only where nothing was computed.
#pragma once
#include "timeline/track.h"

#include <span>
#include <vector>

namespace ringside::timeline {

class Strip final {
public:
    Strip() = default;
    /// `tracks` are those of one rank. A rank without streams has an empty strip.
    Strip(std::span<const Track> tracks, const Interval& extent);

    [[nodiscard]] bool empty() const { return m_levels.empty(); }
    /// Returns the shares of the parts (SpanKind: Compute, Wait, Transfer, Copy) in each of `columns` equal
    /// parts of `range`. A strip is coarser than its spans: the shares of a column that is shorter than a
    /// cell of the strip are those of the cell.
    [[nodiscard]] std::vector<ByKind<float>> coverage(const Interval& range, std::size_t columns) const;
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    static constexpr std::size_t kParts = 4;
    /// Shares from 0 to 255. A share that is not 0 is never rounded to 0.
    using Cell = std::array<std::uint8_t, kParts>;
    using Parts = std::array<std::int64_t, kParts>; ///< ns of a cell
    [[nodiscard]] static std::vector<Parts> timesIn(std::span<const Track> tracks,
                                                    const std::vector<Interval>& windows);
    [[nodiscard]] std::vector<Cell> cellsOf(const std::vector<Parts>& times) const;

    Interval m_extent;
    std::vector<std::vector<Cell>> m_levels; ///< finest first; each has a quarter of the cells before
};

} // namespace ringside::timeline
