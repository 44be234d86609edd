// SPDX-License-Identifier: Apache-2.0
#include "timeline/strip.h"

#include "metrics/metrics.h"
#include "timeline/work_in_range.h"

#include <bit>

namespace ringside::timeline {
namespace {

constexpr std::size_t kFewestCells = 256;
constexpr std::size_t kMostCells = std::size_t{1} << 22U;
constexpr std::size_t kSpansACell = 2; ///< at least: finer cells would need more memory than the spans
constexpr std::size_t kFactor = 4;     ///< cells of a level that one of the next covers
constexpr double kFull = 255;
constexpr std::array kKinds{SpanKind::Compute, SpanKind::Wait, SpanKind::Transfer, SpanKind::Copy};

std::size_t spansOnStreams(std::span<const Track> tracks)
{
    std::size_t sum = 0;
    for (const Track& track : tracks) {
        sum += track.kind == TrackKind::Stream ? track.spans() : 0;
    }
    return sum;
}

/// Divides the extent into windows without gaps.
std::vector<Interval> windowsOf(const Interval& extent, std::size_t count)
{
    std::vector<Interval> windows(count);
    const double length = static_cast<double>(extent.length()) / static_cast<double>(count);
    std::int64_t start = extent.start;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t end = extent.start + std::llround(static_cast<double>(i + 1) * length);
        windows[i] = {start, i + 1 == count ? extent.end : std::max(start, end)};
        start = windows[i].end;
    }
    return windows;
}

} // namespace

Strip::Strip(std::span<const Track> tracks, const Interval& extent) : m_extent(extent)
{
    const std::size_t spans = spansOnStreams(tracks);
    if (spans == 0 || extent.length() == 0) {
        return;
    }
    const std::size_t cells = std::bit_floor(std::clamp(spans / kSpansACell, kFewestCells, kMostCells));
    std::vector<Parts> times = timesIn(tracks, windowsOf(extent, cells));
    while (true) {
        m_levels.push_back(cellsOf(times));
        if (times.size() < kFewestCells) {
            break;
        }
        std::vector<Parts> coarser(times.size() / kFactor);
        for (std::size_t i = 0; i < coarser.size() * kFactor; ++i) {
            for (std::size_t part = 0; part < kParts; ++part) {
                coarser[i / kFactor][part] += times[i][part];
            }
        }
        times = std::move(coarser);
    }
}

/// Sweeps some windows at a time: the coverage of a window takes 128 bytes, of which 32 are kept.
std::vector<Strip::Parts> Strip::timesIn(std::span<const Track> tracks, const std::vector<Interval>& windows)
{
    constexpr std::size_t kAtATime = 4096;
    std::vector<Parts> times;
    times.reserve(windows.size());
    for (std::size_t first = 0; first < windows.size(); first += kAtATime) {
        const std::span some(windows.data() + first, std::min(kAtATime, windows.size() - first));
        const WorkInRange work(tracks, {some.front().start, some.back().end});
        const std::vector<metrics::Coverage> covered = work.sweep(some);
        for (std::size_t i = 0; i < some.size(); ++i) {
            const metrics::Breakdown parts = values::breakDown(some[i].length(), covered[i]);
            times.push_back({parts.computeNs, parts.exposedWaitNs,
                             parts.exposedCommunicationNs - parts.exposedWaitNs, parts.exposedCopyNs});
        }
    }
    return times;
}

std::vector<Strip::Cell> Strip::cellsOf(const std::vector<Parts>& times) const
{
    const double cellNs = static_cast<double>(m_extent.length()) / static_cast<double>(times.size());
    std::vector<Cell> cells(times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
        for (std::size_t part = 0; part < kParts; ++part) {
            const double share = static_cast<double>(times[i][part]) / cellNs * kFull;
            const double least = times[i][part] > 0 ? 1 : 0;
            cells[i][part] = static_cast<std::uint8_t>(std::clamp(std::round(share), least, kFull));
        }
    }
    return cells;
}

std::vector<ByKind<float>> Strip::coverage(const Interval& range, std::size_t columns) const
{
    std::vector<ByKind<float>> result(columns);
    if (empty() || range.length() == 0) {
        return result;
    }
    const double columnNs = static_cast<double>(range.length()) / static_cast<double>(columns);
    const auto cellNs = [this](const std::vector<Cell>& level) {
        return static_cast<double>(m_extent.length()) / static_cast<double>(level.size());
    };
    std::size_t at = m_levels.size() - 1; // the coarsest level that is not coarser than a column
    while (at > 0 && cellNs(m_levels[at]) > columnNs) {
        --at;
    }
    const std::vector<Cell>& level = m_levels[at];
    const double first = static_cast<double>(range.start) - static_cast<double>(m_extent.start);
    const double cell = cellNs(level);
    const auto cellAt = [&](std::size_t column) { // of the begin of a column
        const double ns = first + static_cast<double>(column) * columnNs;
        return static_cast<std::int64_t>(std::floor(std::clamp(ns / cell, -1.0, 1e15)));
    };
    const auto cells = static_cast<std::int64_t>(level.size());
    std::int64_t next = cellAt(0);
    for (std::size_t column = 0; column < columns; ++column) {
        const std::int64_t from = next;
        next = cellAt(column + 1);
        const std::int64_t to = std::max(from + 1, next);
        std::array<std::uint32_t, kParts> sums{};
        for (std::int64_t i = std::max<std::int64_t>(0, from); i < std::min(to, cells); ++i) {
            for (std::size_t part = 0; part < kParts; ++part) {
                sums[part] += level[static_cast<std::size_t>(i)][part];
            }
        }
        const float share = 1 / (static_cast<float>(kFull) * static_cast<float>(to - from));
        for (std::size_t part = 0; part < kParts; ++part) {
            result[column][static_cast<std::size_t>(kKinds[part])] = static_cast<float>(sums[part]) * share;
        }
    }
    return result;
}

std::size_t Strip::memoryBytes() const
{
    std::size_t cells = 0;
    for (const std::vector<Cell>& level : m_levels) {
        cells += level.capacity();
    }
    return cells * sizeof(Cell);
}

} // namespace ringside::timeline
