// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the tracks of a timeline: asks each visible line for its bars and fills rectangles, so that a frame
// costs pixels, not events. Knows nothing of windows and events.
#pragma once
#include "app/theme.h"
#include "timeline/coordinates.h"
#include "timeline/layout.h"

#include <QHash>
#include <QRectF>
#include <QStaticText>
#include <QString>

#include <optional>

class QFontMetrics;
class QPainter;

namespace ringside::gui {

/// What is painted.
struct Scene {
    const model::Model* model = nullptr;
    const timeline::Timeline* timeline = nullptr;
    const Layout* layout = nullptr;
    const Theme* theme = nullptr;
    Interval visible;
    int scroll = 0; ///< pixels of the layout above the window
    std::optional<timeline::SpanId> selected;
    std::optional<std::size_t> meeting; ///< shown on all ranks
    std::set<std::size_t> marked;       ///< ranks that a finding is about
    std::optional<Interval> evidence;   ///< of that finding
    std::optional<Interval> range;      ///< that the user selected
};

class TimelinePainter final {
public:
    static constexpr int kLabelWidth = 176;
    static constexpr int kRulerHeight = 24;

    /// Ruler, labels and tracks, in a window of that size.
    void paint(QPainter& painter, const Scene& scene, const QSize& size);
    /// Where the tracks are in it.
    [[nodiscard]] static QRect tracksIn(const QSize& size);

private:
    struct Frame;
    void paintRow(const Frame& frame, const Row& row);
    void paintLabel(const Frame& frame, const Row& row, const QString& text, bool bold) const;
    void paintBars(const Frame& frame, const Row& row);
    void paintName(const Frame& frame, const QRectF& box, const QString& name, const QColor& colour,
                   bool hatched);
    void paintMeetings(const Frame& frame) const;
    void paintMeeting(const Frame& frame, const timeline::Meeting& meeting) const;
    void paintSelection(const Frame& frame) const;
    void paintRuler(const Frame& frame) const;

    QHash<QString, QStaticText> m_names; ///< laid out once, whatever the frame
};

} // namespace ringside::gui
