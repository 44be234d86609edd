// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of the painter know of the frame that is being painted. Private to painter*.cpp.
#pragma once
#include "timeline/painter.h"

#include <QPainter>

#include <algorithm>

namespace ringside::gui {

struct TimelinePainter::Frame {
    QPainter& painter;
    const Scene& scene;
    QRect tracks;
    QFontMetrics metrics;

    [[nodiscard]] double x(std::int64_t timeNs) const
    {
        // A paint engine overflows on very large coordinates. Clamping far outside the window changes no
        // visible pixel.
        constexpr double kFar = 1e5;
        return tracks.left() + std::clamp(timeToX(timeNs, scene.visible, tracks.width()), -kFar, kFar);
    }
    [[nodiscard]] int y(const Row& row) const { return tracks.top() + row.y - scene.scroll; }
    /// Returns whether the row is visible, or so near that a line to it is. Lines to thousands of others
    /// would take longer than the frame.
    [[nodiscard]] bool isNear(const Row& row) const
    {
        constexpr int kNear = 60;
        return y(row) + row.height >= tracks.top() - kNear && y(row) <= tracks.bottom() + kNear;
    }
    [[nodiscard]] double pixelsPerNs() const
    {
        return tracks.width() / std::max(1.0, static_cast<double>(scene.visible.length()));
    }
    /// Returns the box of all bars of a row.
    [[nodiscard]] QRectF box(const Row& row, const Interval& time) const
    {
        const double left = x(time.start);
        return {left, y(row) + 1.0, std::max(1.0, x(time.end) - left), row.height - 2.0};
    }
};

} // namespace ringside::gui
