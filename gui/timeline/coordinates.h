// SPDX-License-Identifier: GPL-3.0-or-later
// Conversions between time and pixels. They need no window.
#pragma once
#include "model/time.h"

#include <QString>

#include <vector>

namespace ringside::gui {

using model::Interval;

inline constexpr std::int64_t kNarrowestNs =
    20; ///< narrowest range that a view can show: GPU clocks have no finer resolution

/// Returns the pixel of a time in a view that shows `range` in `width` pixels. The result is not clamped.
[[nodiscard]] double timeToX(std::int64_t timeNs, const Interval& range, double width);
[[nodiscard]] std::int64_t xToTime(double x, const Interval& range, double width);
[[nodiscard]] std::int64_t nsPerPixel(const Interval& range, double width); ///< at least 1

/// Returns `range` divided by `factor` (below 1: longer), with `anchorNs` at the same place, within `limits`.
[[nodiscard]] Interval zoomed(const Interval& range, double factor, std::int64_t anchorNs,
                              const Interval& limits);
/// Returns `range` moved by `deltaNs`, clamped to `limits`.
[[nodiscard]] Interval panned(const Interval& range, std::int64_t deltaNs, const Interval& limits);
/// Returns `wanted` with a margin on both sides (a share of its length), within `limits` and not below the
/// narrowest range.
[[nodiscard]] Interval framed(const Interval& wanted, double margin, const Interval& limits);

struct Tick {
    std::int64_t timeNs = 0;
    QString text; ///< with its unit
};
/// Returns round times that are at least `spacing` pixels apart.
[[nodiscard]] std::vector<Tick> ticks(const Interval& range, double width, double spacing);

} // namespace ringside::gui
