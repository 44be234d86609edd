// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/overview.h"

#include "timeline/painter.h"

#include <QEvent>
#include <QMouseEvent>
#include <QPainter>

#include <cmath>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;
using timeline::Track;
using timeline::TrackKind;

constexpr int kHeight = 34;
constexpr int kRoom = 3; ///< pixels above and below the strip

/// Chooses the most informative tracks of a rank: device work if there is any, else steps.
bool isShown(const Track& track, bool device)
{
    return device ? track.kind == TrackKind::Stream || track.kind == TrackKind::EventTimed
                  : track.kind == TrackKind::Steps || track.kind == TrackKind::Thread;
}

} // namespace

Overview::Overview(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(u"Overview of the run"_s);
    setToolTip(u"The whole run, one line for each rank. Click or drag to move the visible part."_s);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setCursor(Qt::PointingHandCursor);
}

QSize Overview::sizeHint() const
{
    return {400, kHeight};
}

void Overview::setSession(const Session& session)
{
    m_session = session;
    m_stale = true;
    update();
}

void Overview::setShown(const Interval& shown)
{
    m_shown = shown;
    update();
}

/// Has the same left edge as the tracks of the timeline below.
QRect Overview::strip() const
{
    return {TimelinePainter::kLabelWidth, kRoom, std::max(1, width() - TimelinePainter::kLabelWidth),
            std::max(1, height() - 2 * kRoom)};
}

void Overview::paintRanks()
{
    m_stale = false;
    m_image.begin(strip().size(), devicePixelRatioF(), themeOf(palette()));
    const timeline::Timeline& all = *m_session.timeline;
    const auto ranks = static_cast<int>(m_session.report->model.ranks.size());
    const int height = strip().height();
    const int lines = std::min(ranks, height); // if there are more ranks than pixels, only some are shown
    for (int line = 0; line < lines; ++line) {
        const auto rank = static_cast<std::size_t>(std::int64_t{line} * ranks / lines);
        const int top = line * height / lines;
        const int bottom = (line + 1) * height / lines;
        const std::span<const Track> tracks = all.tracksOf(rank);
        const bool device =
            std::ranges::any_of(tracks, [](const Track& track) { return isShown(track, true); });
        for (const Track& track : tracks) {
            if (isShown(track, device) && !track.lanes.empty()) {
                const auto resolution = nsPerPixel(all.extent, m_image.image().width());
                m_image.add(track.lanes.front().bars(all.extent, resolution), all.extent, top,
                            std::max(1, bottom - top - (bottom - top > 3 ? 1 : 0)));
            }
        }
    }
}

void Overview::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    const Theme& theme = themeOf(palette());
    painter.fillRect(rect(), theme.window);
    if (!m_session.timeline) {
        return;
    }
    if (m_stale) {
        paintRanks();
    }
    const QRect area = strip();
    painter.drawImage(area.topLeft(), m_image.image());
    painter.setPen(theme.dim);
    painter.drawText(QRect(10, 0, area.left() - 16, height()), Qt::AlignVCenter | Qt::AlignLeft,
                     u"whole run"_s);
    const Interval& extent = m_session.timeline->extent;
    const double left = area.left() + timeToX(m_shown.start, extent, area.width());
    const double right = std::max(left + 3, area.left() + timeToX(m_shown.end, extent, area.width()));
    QColor veil = theme.window;
    veil.setAlpha(170);
    painter.fillRect(QRectF(area.left(), area.top(), left - area.left(), area.height()), veil);
    painter.fillRect(QRectF(right, area.top(), area.right() + 1 - right, area.height()), veil);
    painter.setPen(QPen(theme.accent, 2));
    painter.drawRect(QRectF(left + 1, area.top() - 1, right - left - 2, area.height() + 1));
}

void Overview::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_stale = true;
}

void Overview::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    m_stale = m_stale || event->type() == QEvent::PaletteChange;
    update();
}

void Overview::mousePressEvent(QMouseEvent* event)
{
    if (m_session.timeline && event->buttons().testFlag(Qt::LeftButton)) {
        const QRect area = strip();
        emit momentRequested(
            xToTime(event->position().x() - area.left(), m_session.timeline->extent, area.width()));
    }
}

void Overview::mouseMoveEvent(QMouseEvent* event)
{
    mousePressEvent(event);
}

} // namespace ringside::gui
