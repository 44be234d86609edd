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

constexpr int kHeight = 34;
constexpr int kStripRoom = 3; ///< pixels above and below the strip

} // namespace

Overview::Overview(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(u"Overview of the run"_s);
    setToolTip(u"The whole run, one line for each rank: height stands for the share of time. Click or drag "
               u"the frame "
               u"to move it; drag beside it to choose what is visible."_s);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setCursor(Qt::PointingHandCursor);
}

QSize Overview::sizeHint() const
{
    return {400, scaled(kHeight)};
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
    return {TimelinePainter::labelWidth(), kStripRoom, std::max(1, width() - TimelinePainter::labelWidth()),
            std::max(1, height() - 2 * kStripRoom)};
}

void Overview::paintRanks()
{
    m_stale = false;
    m_image.begin(strip().size(), devicePixelRatioF(), themeOf(palette()));
    const auto ranks = static_cast<int>(m_session.report->model.ranks.size());
    const int height = strip().height();
    const int lines = std::min(ranks, height);
    for (int line = 0; line < lines; ++line) {
        const int top = line * height / lines;
        const int bottom = (line + 1) * height / lines;
        m_image.add(meanOf(line * ranks / lines, (line + 1) * ranks / lines), top,
                    std::max(1, bottom - top - (bottom - top > 3 ? 1 : 0)));
    }
}

/// The mean of the ranks [first, last): a line stands for several if there are more ranks than pixels.
BarImage::Shares Overview::meanOf(int first, int last) const
{
    BarImage::Shares mean(static_cast<std::size_t>(m_image.image().width()));
    for (int rank = first; rank < last; ++rank) {
        const BarImage::Shares shares = timeline::rankCoverage(
            *m_session.timeline, static_cast<std::size_t>(rank), m_session.timeline->extent, mean.size());
        for (std::size_t x = 0; x < mean.size(); ++x) {
            for (std::size_t kind = 0; kind < timeline::kSpanKinds; ++kind) {
                mean[x][kind] += shares[x][kind] / static_cast<float>(last - first);
            }
        }
    }
    return mean;
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
    if (m_chosen) {
        QColor fill = theme.accent;
        fill.setAlpha(70);
        const double from = area.left() + timeToX(m_chosen->start, extent, area.width());
        const double to = area.left() + timeToX(m_chosen->end, extent, area.width());
        painter.fillRect(QRectF(from, area.top(), to - from, area.height()), fill);
    }
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

std::int64_t Overview::timeAt(double x) const
{
    const QRect area = strip();
    return xToTime(std::clamp(x - area.left(), 0.0, 1.0 * area.width()), m_session.timeline->extent,
                   area.width());
}

/// A drag that begins inside the frame moves it. Outside of it, or if the frame is as wide as the strip, a
/// drag chooses a new frame.
void Overview::mousePressEvent(QMouseEvent* event)
{
    m_drag = Drag::None;
    if (!m_session.timeline || event->button() != Qt::LeftButton) {
        return;
    }
    constexpr double kAll = 0.98;
    m_pressed = timeAt(event->position().x());
    const auto whole = static_cast<double>(m_session.timeline->extent.length());
    const bool inside = m_shown.start <= m_pressed && m_pressed < m_shown.end;
    m_drag = inside && static_cast<double>(m_shown.length()) < kAll * whole ? Drag::Move : Drag::Choose;
}

void Overview::mouseMoveEvent(QMouseEvent* event)
{
    if (m_drag == Drag::Move) {
        emit momentRequested(timeAt(event->position().x()));
    } else if (m_drag == Drag::Choose) {
        const auto [start, end] = std::minmax(m_pressed, timeAt(event->position().x()));
        m_chosen = Interval{start, end};
        update();
    }
}

void Overview::mouseReleaseEvent(QMouseEvent* event)
{
    constexpr int kClickPixels = 3;
    const auto chosen = std::exchange(m_chosen, std::nullopt);
    const Drag drag = std::exchange(m_drag, Drag::None);
    if (drag == Drag::None) {
        return;
    }
    const std::int64_t least = nsPerPixel(m_session.timeline->extent, strip().width()) * kClickPixels;
    if (chosen && chosen->length() > least) {
        emit rangeRequested(*chosen);
    } else {
        emit momentRequested(timeAt(event->position().x()));
    }
    update();
}

} // namespace ringside::gui
