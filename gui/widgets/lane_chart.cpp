// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lane_chart.h"

#include "base/text.h"
#include "base/theme.h"
#include "timeline/coordinates.h"
#include "values/text.h"
#include "widgets/picture_menu.h"
#include "widgets/shade.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;
using document::Shade;
using timeline::CollectiveLane;

constexpr int kBeside = 8; ///< pixels between texts and what stands beside them
constexpr std::array kLegend{std::pair(Shade::Wait, "waits for the last rank"),
                             std::pair(Shade::Communication, "transfers"),
                             std::pair(Shade::Idle, "waits at the end"), std::pair(Shade::Copy, "copies")};

std::int64_t timeOf(const CollectiveLane& lane, Shade shade)
{
    std::int64_t sum = 0;
    for (const CollectiveLane::Piece& piece : lane.pieces) {
        sum += piece.shade == shade ? piece.time.length() : 0;
    }
    return sum;
}

} // namespace

LaneChart::LaneChart(QWidget* parent) : QAbstractScrollArea(parent)
{
    setAccessibleName(u"Ranks inside the collective"_s);
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumSize(240, 120);
    addPictureMenu(*this, [this](const QPoint& position) {
        const auto lane = laneAt(position.y());
        return lane ? textOf(*lane) : QString();
    });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, viewport(), qOverload<>(&QWidget::update));
}

void LaneChart::setCollective(const Session& session, std::size_t collective)
{
    m_session = session;
    m_lanes = timeline::lanesOf(session.report->model, *session.timeline, collective);
    m_current = 0;
    setScrollBar();
    verticalScrollBar()->setValue(0);
    setAccessibleDescription(m_lanes.lanes.empty() ? QString() : textOf(0));
    viewport()->update();
}

QSize LaneChart::sizeHint() const
{
    return {520, headHeight() + 12 * lineHeight()};
}

int LaneChart::lineHeight() const
{
    return fontMetrics().height() + 4;
}

int LaneChart::headHeight() const
{
    return 2 * (fontMetrics().height() + kBeside);
}

QString LaneChart::nameOf(const CollectiveLane& lane) const
{
    switch (lane.kind) {
    case CollectiveLane::Kind::Phases:
        return u"phases of its kernel"_s;
    case CollectiveLane::Kind::Copies:
        return u"copies of its GPU"_s;
    case CollectiveLane::Kind::Rank:
        break;
    }
    return u"rank %1"_s.arg(m_session.report->model.ranks[lane.rank].rank);
}

QString LaneChart::textOf(std::size_t index) const
{
    const CollectiveLane& lane = m_lanes.lanes[index];
    QStringList parts;
    if (lane.kind == CollectiveLane::Kind::Rank && !lane.pieces.empty()) {
        parts << u"arrived %1 after the first"_s.arg(
            toQt(values::durationText(lane.pieces.front().time.start - m_lanes.time.start)));
    }
    for (const auto& [shade, words] : kLegend) {
        if (const std::int64_t ns = timeOf(lane, shade); ns > 0) {
            parts << QString(QLatin1StringView(words) + u" "_s + toQt(values::durationText(ns)));
        }
    }
    return u"rank %1%2: %3"_s.arg(m_session.report->model.ranks[lane.rank].rank)
        .arg(lane.kind == CollectiveLane::Kind::Rank ? QString() : QString(u", "_s + nameOf(lane)),
             parts.join(u", "_s));
}

double LaneChart::x(std::int64_t timeNs) const
{
    const double width = std::max(1, viewport()->width() - m_left - kBeside);
    return m_left + std::clamp(timeToX(timeNs, m_lanes.time, width), 0.0, width);
}

void LaneChart::setScrollBar()
{
    m_left = 0;
    for (const CollectiveLane& lane : m_lanes.lanes) {
        m_left = std::max(m_left, fontMetrics().horizontalAdvance(nameOf(lane)) + 2 * kBeside);
    }
    const int page = std::max(1, viewport()->height() - headHeight());
    verticalScrollBar()->setRange(0,
                                  std::max(0, static_cast<int>(m_lanes.lanes.size()) * lineHeight() - page));
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(lineHeight());
}

std::optional<std::size_t> LaneChart::laneAt(int y) const
{
    const int line = (y - headHeight() + verticalScrollBar()->value()) / lineHeight();
    const bool inside = y >= headHeight() && line < static_cast<int>(m_lanes.lanes.size());
    return inside ? std::optional(static_cast<std::size_t>(line)) : std::nullopt;
}

void LaneChart::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(viewport());
    const Theme& theme = themeOf(palette());
    painter.fillRect(viewport()->rect(), theme.base);
    if (m_lanes.lanes.empty()) {
        return;
    }
    const auto first = static_cast<std::size_t>(verticalScrollBar()->value() / lineHeight());
    painter.setClipRect(0, headHeight(), viewport()->width(), viewport()->height());
    for (std::size_t i = first; i < m_lanes.lanes.size(); ++i) {
        const int y = headHeight() + static_cast<int>(i) * lineHeight() - verticalScrollBar()->value();
        if (y > viewport()->height()) {
            break;
        }
        paintLane(painter, i, y);
    }
    painter.setPen(QPen(theme.mark, 1, Qt::DashLine));
    painter.drawLine(QPointF(x(m_lanes.lastArrivalNs), headHeight()),
                     QPointF(x(m_lanes.lastArrivalNs), viewport()->height()));
    painter.setClipping(false);
    paintLegend(painter);
    paintRuler(painter);
}

/// Only of what this collective has.
void LaneChart::paintLegend(QPainter& painter) const
{
    const Theme& theme = themeOf(palette());
    const int size = fontMetrics().height() - 4;
    int left = kBeside;
    for (const auto& [shade, words] : kLegend) {
        if (std::ranges::none_of(m_lanes.lanes,
                                 [shade = shade](const auto& lane) { return timeOf(lane, shade) > 0; })) {
            continue;
        }
        const QString text = QLatin1StringView(words);
        fillShade(painter, QRectF(left, kBeside / 2.0 + 2, size, size), shade, theme);
        painter.setPen(theme.text);
        left += size + 4;
        painter.drawText(left, kBeside / 2 + fontMetrics().ascent(), text);
        left += fontMetrics().horizontalAdvance(text) + 2 * kBeside;
    }
}

void LaneChart::paintRuler(QPainter& painter) const
{
    constexpr double kSpacing = 90;
    const Theme& theme = themeOf(palette());
    const int bottom = headHeight() - 2;
    painter.setPen(theme.dim);
    const Interval sinceFirst{0, m_lanes.time.length()};
    for (const Tick& tick : ticks(sinceFirst, viewport()->width() - m_left - kBeside, kSpacing)) {
        const double at = x(m_lanes.time.start + tick.timeNs);
        painter.drawLine(QPointF(at, bottom - 4), QPointF(at, bottom));
        if (at + fontMetrics().horizontalAdvance(tick.text) < viewport()->width()) {
            painter.drawText(QPointF(at + 3, bottom - fontMetrics().descent()), tick.text);
        }
    }
}

void LaneChart::paintLane(QPainter& painter, std::size_t index, int y) const
{
    const Theme& theme = themeOf(palette());
    const CollectiveLane& lane = m_lanes.lanes[index];
    const bool ofRank = lane.kind == CollectiveLane::Kind::Rank;
    const int height = lineHeight();
    if (hasFocus() && index == m_current) {
        painter.fillRect(0, y, 4, height, theme.accent);
    }
    painter.setPen(ofRank ? theme.text : theme.dim);
    painter.drawText(QRect(kBeside, y, m_left - 2 * kBeside, height),
                     (ofRank ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, nameOf(lane));
    const int inset = ofRank ? 2 : height / 4;
    for (const CollectiveLane::Piece& piece : lane.pieces) {
        const double left = x(piece.time.start);
        const double right = std::max(x(piece.time.end), left + 1);
        fillShade(painter, QRectF(left, y + inset, right - left, height - 2 * inset), piece.shade, theme);
    }
}

void LaneChart::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    setScrollBar();
}

void LaneChart::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        setScrollBar();
    }
}

void LaneChart::moveTo(std::size_t lane)
{
    m_current = lane;
    const int top = static_cast<int>(lane) * lineHeight();
    const int page = verticalScrollBar()->pageStep();
    verticalScrollBar()->setValue(
        std::clamp(verticalScrollBar()->value(), std::max(0, top + lineHeight() - page), top));
    setAccessibleDescription(textOf(lane));
    viewport()->update();
}

void LaneChart::keyPressEvent(QKeyEvent* event)
{
    const int key = event->key();
    if (key == Qt::Key_Down && m_current + 1 < m_lanes.lanes.size()) {
        moveTo(m_current + 1);
    } else if (key == Qt::Key_Up && m_current > 0) {
        moveTo(m_current - 1);
    } else if ((key == Qt::Key_Return || key == Qt::Key_Enter) && !m_lanes.lanes.empty()) {
        emit rankChosen(m_lanes.lanes[m_current].rank);
    } else {
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void LaneChart::mouseReleaseEvent(QMouseEvent* event)
{
    const auto lane = laneAt(event->pos().y());
    if (lane && event->button() == Qt::LeftButton) {
        moveTo(*lane);
        emit rankChosen(m_lanes.lanes[*lane].rank);
    }
}

bool LaneChart::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) {
        return QAbstractScrollArea::viewportEvent(event);
    }
    const auto* const help = static_cast<QHelpEvent*>(event);
    const auto lane = laneAt(help->pos().y());
    QToolTip::showText(help->globalPos(), lane ? textOf(*lane) : QString(), this);
    return true;
}

} // namespace ringside::gui
