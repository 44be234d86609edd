// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the tracks of a timeline. It asks each visible line for its bars and draws them into one picture, so
// that the cost of a frame depends on pixels, not on events. It handles no windows and no events.
#pragma once
#include "timeline/bar_image.h"
#include "timeline/label_cache.h"
#include "timeline/painter_frame.h"

#include <unordered_map>

namespace ringside::gui {

class TimelinePainter final {
public:
    [[nodiscard]] static int labelWidth() { return scaled(176); }
    [[nodiscard]] static int rulerHeight() { return scaled(24); }

    /// Paints ruler, labels and tracks into a window of this size.
    void paint(QPainter& painter, const Scene& scene, const QSize& size);
    /// Returns the whole label of a row: beside the tracks it may be cut.
    [[nodiscard]] static QString labelOf(const Scene& scene, const Row& row);
    /// Returns the area of the tracks in a window of this size.
    [[nodiscard]] static QRect tracksIn(const QSize& size);

private:
    using Frame = PainterFrame;
    /// A bar that is wide enough for a name.
    struct Named {
        const Row* row;
        std::size_t span;
    };
    void addBars(const Frame& frame, const Row& row);
    void paintLabels(const Frame& frame, const Row& row) const;
    void paintStripLabel(const Frame& frame, const Row& row) const;
    void paintLabel(const Frame& frame, const Row& row, const QString& text, bool bold) const;
    void paintHits(const Frame& frame, const Row& row) const;
    void paintName(const Frame& frame, const Named& named);
    void paintUnrecorded(const Frame& frame) const;
    void paintLastArrivals(const Frame& frame) const;
    void paintNote(const Frame& frame, const QPointF& at, const QString& text) const;
    struct PartBoxes {
        std::vector<QRectF> boxes;
        std::optional<QRectF> last; ///< of the rank that came last
    };
    [[nodiscard]] PartBoxes boxesOf(const Frame& frame, const timeline::MatchedCollective& collective) const;
    void paintCollective(const Frame& frame, const timeline::MatchedCollective& collective) const;
    void paintReleases(const Frame& frame, const std::vector<QRectF>& boxes, const QRectF& last,
                       double x) const;
    void paintSelection(const Frame& frame) const;
    void paintLaunch(const Frame& frame) const;
    void paintMarks(const Frame& frame) const;
    void paintRuler(const Frame& frame) const;
    void paintHover(const Frame& frame) const;

    [[nodiscard]] std::optional<timeline::WorkFamily> familyOf(const Frame& frame, const Row& row,
                                                               std::size_t span);

    BarImage m_bars;
    /// By track and name: a family is told once for each name. Belongs to one timeline.
    std::unordered_map<std::uint64_t, std::optional<timeline::WorkFamily>> m_families;
    LabelCache m_names;
    std::vector<Named> m_named; ///< of the present frame
};

} // namespace ringside::gui
