// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/painter.h"

#include "app/text.h"

#include <QPainter>
#include <QPainterPath>

#include <cmath>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;
using timeline::Bar;
using timeline::Lane;
using timeline::Meeting;
using timeline::Part;
using timeline::Span;
using timeline::SpanKind;

constexpr double kNamedWidth = 26;  ///< narrower bars show no name
constexpr double kMarkSpacing = 26; ///< between two marks of last arrivers
constexpr qsizetype kMostNames = 20'000;
constexpr double kTickSpacing = 110;

} // namespace

struct TimelinePainter::Frame {
    QPainter& painter;
    const Scene& scene;
    QRect tracks;
    QFontMetrics metrics;

    [[nodiscard]] double x(std::int64_t timeNs) const
    {
        // Far outside is as good as just outside, and stays within what a paint engine can count.
        constexpr double kFar = 1e5;
        return tracks.left() + std::clamp(timeToX(timeNs, scene.visible, tracks.width()), -kFar, kFar);
    }
    [[nodiscard]] int y(const Row& row) const { return tracks.top() + row.y - scene.scroll; }
    [[nodiscard]] std::int64_t resolution() const { return nsPerPixel(scene.visible, tracks.width()); }
    /// The whole of a row's bars.
    [[nodiscard]] QRectF box(const Row& row, const Interval& time) const
    {
        const double left = x(time.start);
        return {left, y(row) + 1.0, std::max(1.0, x(time.end) - left), row.height - 2.0};
    }
};

QRect TimelinePainter::tracksIn(const QSize& size)
{
    return {kLabelWidth, kRulerHeight, std::max(1, size.width() - kLabelWidth),
            std::max(1, size.height() - kRulerHeight)};
}

void TimelinePainter::paint(QPainter& painter, const Scene& scene, const QSize& size)
{
    const Frame frame{painter, scene, tracksIn(size), QFontMetrics(painter.font())};
    painter.fillRect(QRect(QPoint(), size), scene.theme->base);
    if (m_names.size() > kMostNames) {
        m_names.clear();
    }
    painter.save();
    painter.setClipRect(QRect(0, kRulerHeight, size.width(), frame.tracks.height()));
    for (const Row& row : scene.layout->rows) {
        if (frame.y(row) + row.height >= frame.tracks.top() && frame.y(row) <= size.height()) {
            paintRow(frame, row);
        }
    }
    painter.setClipRect(frame.tracks);
    paintMeetings(frame);
    paintSelection(frame);
    painter.restore();
    paintRuler(frame);
}

void TimelinePainter::paintRow(const Frame& frame, const Row& row)
{
    const Theme& theme = *frame.scene.theme;
    const int y = frame.y(row);
    const bool marked = frame.scene.marked.contains(row.rank);
    if (row.kind == Row::Kind::Rank) {
        frame.painter.fillRect(0, y, frame.tracks.right() + 1, row.height, theme.window);
    }
    if (marked) {
        frame.painter.fillRect(0, y, 4, row.height, theme.accent);
    }
    const model::Rank& rank = frame.scene.model->ranks[row.rank];
    if (row.kind == Row::Kind::Rank) {
        const std::string& host = frame.scene.model->hosts[rank.host].name;
        const QString name = u"rank %1"_s.arg(rank.rank);
        paintLabel(frame, row, host.empty() ? name : QString(name + u"  "_s + toQt(host)), true);
    } else if (row.lane == 0) {
        const timeline::Track& track = frame.scene.timeline->tracks[*row.track];
        paintLabel(frame, row, toQt(track.name), false);
    }
    if (row.track) {
        paintBars(frame, row);
    }
}

void TimelinePainter::paintLabel(const Frame& frame, const Row& row, const QString& text, bool bold) const
{
    constexpr int kIndent = 10;
    const int left = bold ? kIndent : 2 * kIndent;
    const QRect box(left, frame.y(row), kLabelWidth - left - 6, row.height);
    QFont font = frame.painter.font();
    font.setBold(bold);
    frame.painter.save();
    frame.painter.setFont(font);
    frame.painter.setPen(bold ? frame.scene.theme->text : frame.scene.theme->dim);
    frame.painter.drawText(box, Qt::AlignVCenter | Qt::AlignLeft,
                           QFontMetrics(font).elidedText(text, Qt::ElideRight, box.width()));
    frame.painter.restore();
}

void TimelinePainter::paintBars(const Frame& frame, const Row& row)
{
    const timeline::Track& track = frame.scene.timeline->tracks[*row.track];
    const Lane& lane = track.lanes[row.lane];
    frame.painter.save();
    frame.painter.setClipRect(QRect(frame.tracks.left(), std::max(frame.tracks.top(), frame.y(row)),
                                    frame.tracks.width(), row.height));
    for (const Bar& bar : lane.bars(frame.scene.visible, frame.resolution())) {
        const Span span = lane.span(bar.longest);
        QRectF box = frame.box(row, bar.time);
        const QColor& colour = frame.scene.theme->of(span.kind);
        frame.painter.fillRect(box, colour);
        if (span.kind == SpanKind::Wait && box.width() > 3) { // a pattern too: not by shade alone
            frame.painter.fillRect(box, QBrush(frame.scene.theme->of(SpanKind::Transfer), Qt::BDiagPattern));
        }
        if (box.width() > 3) { // so that neighbours are two
            frame.painter.fillRect(QRectF(box.left(), box.top(), 1, box.height()), frame.scene.theme->base);
        }
        if (bar.count == 1 && box.width() >= kNamedWidth) {
            box.setLeft(std::max<double>(box.left(), frame.tracks.left()));
            const QString name = span.kind == SpanKind::Wait
                                     ? u"waits"_s
                                     : toQt(timeline::nameOf(*frame.scene.model, track, span));
            paintName(frame, box, name, colour, span.kind == SpanKind::Wait);
        }
    }
    frame.painter.restore();
}

/// `hatched`: the colour is laid under the text alone, which stays readable.
void TimelinePainter::paintName(const Frame& frame, const QRectF& box, const QString& name,
                                const QColor& colour, bool hatched)
{
    constexpr double kRoom = 4;
    const double width = std::min<double>(box.right(), frame.tracks.right()) - box.left() - 2 * kRoom;
    if (width < kNamedWidth - 2 * kRoom) {
        return;
    }
    const bool fits = frame.metrics.horizontalAdvance(name) <= width;
    const QString shown =
        fits ? name : frame.metrics.elidedText(name, Qt::ElideRight, static_cast<int>(width));
    auto text = m_names.find(shown);
    if (text == m_names.end()) {
        QStaticText fresh(shown);
        fresh.setTextFormat(Qt::PlainText);
        text = m_names.insert(shown, fresh);
    }
    if (hatched) {
        const double textWidth = std::min<double>(width, frame.metrics.horizontalAdvance(shown));
        frame.painter.fillRect(QRectF(box.left() + 1, box.top(), textWidth + 2 * kRoom - 1, box.height()),
                               colour);
    }
    frame.painter.setPen(inkOn(colour));
    frame.painter.drawStaticText(
        QPointF(box.left() + kRoom, box.top() + (box.height() - frame.metrics.height()) / 2), *text);
}

/// Where a rank came last: a triangle above its communication, as far as there is room for triangles.
void TimelinePainter::paintMeetings(const Frame& frame) const
{
    const timeline::Timeline& timeline = *frame.scene.timeline;
    const double nsAPixel =
        static_cast<double>(frame.scene.visible.length()) / std::max(1, frame.tracks.width());
    const auto spacing = static_cast<std::int64_t>(nsAPixel * kMarkSpacing);
    const QColor mark = frame.scene.theme->mark;
    frame.painter.save();
    frame.painter.setRenderHint(QPainter::Antialiasing);
    for (const std::size_t index : timeline.meetingsIn(frame.scene.visible, spacing)) {
        const Meeting& meeting = timeline.meetings[index];
        const auto lost = static_cast<double>(meeting.lostNs);
        for (std::size_t i = 0; i < meeting.parts && lost >= 3 * nsAPixel; ++i) { // else nobody waits visibly
            const Part& part = timeline.parts[meeting.firstPart + i];
            const Row* const row = frame.scene.layout->rowOf(part.track, part.lane);
            if (part.rank != meeting.lastRank || row == nullptr) {
                continue;
            }
            const double x = frame.x(meeting.lastArrivalNs);
            const double y = frame.y(*row) - 5.0;
            const QPointF points[] = {{x - 5, y}, {x + 5, y}, {x, y + 9}};
            frame.painter.setPen(QPen(frame.scene.theme->base, 1));
            frame.painter.setBrush(mark);
            frame.painter.drawPolygon(points, 3);
        }
    }
    frame.painter.restore();
    if (frame.scene.meeting) {
        paintMeeting(frame, timeline.meetings[*frame.scene.meeting]);
    }
}

/// Joins one collective over all ranks: when each came, when the last one did, when it ended.
void TimelinePainter::paintMeeting(const Frame& frame, const Meeting& meeting) const
{
    const timeline::Timeline& timeline = *frame.scene.timeline;
    const QColor accent = frame.scene.theme->accent;
    QPolygonF arrivals;
    for (std::size_t i = 0; i < meeting.parts; ++i) {
        const Part& part = timeline.parts[meeting.firstPart + i];
        if (const Row* const row = frame.scene.layout->rowOf(part.track, part.lane)) {
            const QRectF box = frame.box(*row, part.time);
            arrivals << QPointF(box.left(), box.center().y());
            frame.painter.setPen(QPen(accent, 2));
            frame.painter.setBrush(Qt::NoBrush);
            frame.painter.drawRect(box.adjusted(0, -1, 0, 1));
        }
    }
    if (arrivals.isEmpty()) {
        return;
    }
    frame.painter.save();
    frame.painter.setRenderHint(QPainter::Antialiasing);
    frame.painter.setPen(QPen(accent, 1.5));
    frame.painter.drawPolyline(arrivals);
    frame.painter.setRenderHint(QPainter::Antialiasing, false);
    frame.painter.setPen(QPen(frame.scene.theme->mark, 1, Qt::DashLine));
    const double x = std::round(frame.x(meeting.lastArrivalNs));
    frame.painter.drawLine(QPointF(x, arrivals.first().y() - 12), QPointF(x, arrivals.last().y() + 12));
    const QString text = u"rank %1 came last, %2"_s.arg(frame.scene.model->ranks[meeting.lastRank].rank)
                             .arg(toQt(timeline::durationText(meeting.lostNs)));
    const QRectF note(x + 4, std::max(arrivals.first().y() - 34, frame.tracks.top() + 2.0),
                      frame.metrics.horizontalAdvance(text) + 8, frame.metrics.height() + 2);
    frame.painter.fillRect(note, accent);
    frame.painter.setPen(inkOn(accent));
    frame.painter.drawText(note, Qt::AlignCenter, text);
    frame.painter.restore();
}

void TimelinePainter::paintSelection(const Frame& frame) const
{
    const auto band = [&](const Interval& time, const QColor& colour, int alpha) {
        QColor fill = colour;
        fill.setAlpha(alpha);
        const double left = frame.x(time.start);
        const double right = std::max(frame.x(time.end), left + 2);
        frame.painter.fillRect(QRectF(left, frame.tracks.top(), right - left, frame.tracks.height()), fill);
        frame.painter.setPen(QPen(colour, 1));
        frame.painter.drawLine(QPointF(left, frame.tracks.top()), QPointF(left, frame.tracks.bottom()));
        frame.painter.drawLine(QPointF(right, frame.tracks.top()), QPointF(right, frame.tracks.bottom()));
    };
    if (frame.scene.evidence) {
        band(*frame.scene.evidence, frame.scene.theme->accent, 26);
    }
    if (frame.scene.range) {
        band(*frame.scene.range, frame.scene.theme->mark, 30);
    }
    if (const auto& selected = frame.scene.selected) {
        if (const Row* const row = frame.scene.layout->rowOf(selected->track, selected->lane)) {
            frame.painter.setPen(QPen(frame.scene.theme->mark, 2));
            frame.painter.setBrush(Qt::NoBrush);
            frame.painter.drawRect(
                frame.box(*row, frame.scene.timeline->span(*selected).time).adjusted(0, 0, 0, 0));
        }
    }
}

void TimelinePainter::paintRuler(const Frame& frame) const
{
    const Theme& theme = *frame.scene.theme;
    const int right = frame.tracks.right() + 1;
    frame.painter.fillRect(0, 0, right, kRulerHeight, theme.window);
    frame.painter.setPen(theme.line);
    frame.painter.drawLine(0, kRulerHeight - 1, right, kRulerHeight - 1);
    frame.painter.drawLine(kLabelWidth - 1, 0, kLabelWidth - 1, frame.tracks.bottom());
    frame.painter.setPen(theme.dim);
    frame.painter.drawText(QRect(10, 0, kLabelWidth - 16, kRulerHeight), Qt::AlignVCenter | Qt::AlignLeft,
                           u"shows "_s + toQt(timeline::durationText(frame.scene.visible.length())));
    for (const Tick& tick : ticks(frame.scene.visible, frame.tracks.width(), kTickSpacing)) {
        const auto x = static_cast<int>(std::lround(frame.x(tick.timeNs)));
        frame.painter.drawLine(x, kRulerHeight - 7, x, kRulerHeight - 1);
        const int width = frame.metrics.horizontalAdvance(tick.text) + 4;
        if (x + 4 + width < right) {
            frame.painter.drawText(QRect(x + 4, 0, width, kRulerHeight - 2), Qt::AlignVCenter | Qt::AlignLeft,
                                   tick.text);
        }
    }
}

} // namespace ringside::gui
