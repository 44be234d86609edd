// SPDX-License-Identifier: GPL-3.0-or-later
// What a frame shows, and where it is drawn.
#pragma once
#include "base/theme.h"
#include "timeline/coordinates.h"
#include "timeline/layout.h"
#include "timeline/search.h"

#include <QPainter>
#include <QRectF>

#include <algorithm>
#include <optional>
#include <set>

namespace ringside::gui {

/// Everything that one frame shows.
struct Scene {
    const model::Model* model = nullptr;
    const timeline::Timeline* timeline = nullptr;
    const Layout* layout = nullptr;
    const Theme* theme = nullptr;
    Interval visible;
    int scroll = 0; ///< pixels of the layout above the window
    std::optional<timeline::SpanId> selected;
    std::optional<std::size_t> collective; ///< the collective that is shown on all ranks
    std::set<std::size_t> marked;          ///< ranks of the chosen finding
    std::optional<Interval> evidence;      ///< of the chosen finding
    std::optional<Interval> range;         ///< chosen by the user
    /// A call and the device work that it launched; one of them is selected.
    struct Launch {
        timeline::SpanId call, work;
    };
    std::optional<Launch> launch;
    std::vector<std::int64_t> marks;      ///< times of the marks
    const timeline::Hits* hits = nullptr; ///< of a search; null: none
    std::optional<std::int64_t> hover;    ///< time under the mouse
    bool byFamily = false;                ///< device work has the colours of its families
};

/// The frame that is being painted.
struct PainterFrame {
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
