// SPDX-License-Identifier: GPL-3.0-or-later
// Time and pixels, as functions without a window.
#pragma once
#include "model/time.h"

#include <QString>

#include <vector>

namespace ringside::gui {

using model::Interval;

inline constexpr std::int64_t kNarrowestNs = 20; ///< that a view can show: GPUs' clocks are no finer

/// Pixel of a time in a view of `range` that is `width` pixels wide. Not clamped.
[[nodiscard]] double timeToX(std::int64_t timeNs, const Interval& range, double width);
[[nodiscard]] std::int64_t xToTime(double x, const Interval& range, double width);
[[nodiscard]] std::int64_t nsPerPixel(const Interval& range, double width); ///< at least 1

/// `range` shrunk by `factor` (more than 1: wider) so that `anchorNs` stays where it is, inside `limits`.
[[nodiscard]] Interval zoomed(const Interval& range, double factor, std::int64_t anchorNs,
                              const Interval& limits);
/// Moved, but not beyond `limits`.
[[nodiscard]] Interval panned(const Interval& range, std::int64_t deltaNs, const Interval& limits);
/// `wanted` with room on both sides (a share of its length each), within limits, never too narrow to see.
[[nodiscard]] Interval framed(const Interval& wanted, double margin, const Interval& limits);

struct Tick {
    std::int64_t timeNs = 0;
    QString text; ///< with its unit
};
/// Round times, at least `spacing` pixels apart.
[[nodiscard]] std::vector<Tick> ticks(const Interval& range, double width, double spacing);

} // namespace ringside::gui
