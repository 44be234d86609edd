// SPDX-License-Identifier: GPL-3.0-or-later
// What the painter puts over the bars and beside them: time that was not recorded, marks, the ruler, and the
// line under the mouse.
#include "base/text.h"
#include "model/unrecorded_device.h"
#include "timeline/painter.h"
#include "values/text.h"

#include <cmath>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr double kTickSpacing = 110;

} // namespace

/// Hatches the time in which device work of a rank was not recorded: an empty stream says nothing there.
void TimelinePainter::paintUnrecorded(const Frame& frame) const
{
    const QString words = u"not recorded"_s;
    const int width = frame.metrics.horizontalAdvance(words) + 8;
    const Theme& theme = *frame.scene.theme;
    const QBrush hatch(theme.line, Qt::BDiagPattern);
    std::optional<std::size_t> rank;
    std::vector<Interval> parts;
    for (const Row& row : frame.scene.layout->rows) {
        const bool isStream =
            row.track && frame.scene.timeline->tracks[*row.track].kind == timeline::TrackKind::Stream;
        if ((!isStream && row.kind != Row::Kind::Strip) || !frame.isNear(row)) {
            continue;
        }
        if (rank != row.rank) {
            rank = row.rank;
            const model::Rank& whose = frame.scene.model->ranks[row.rank];
            parts = model::unrecordedDevice(*frame.scene.model, whose, frame.scene.visible);
        }
        for (const Interval& part : parts) {
            const QRectF box = frame.box(row, part);
            frame.painter.fillRect(box, hatch);
            if (isStream && box.width() > 2.0 * width) {
                const QRectF note(box.left() + width / 2.0, box.top(), width, box.height());
                frame.painter.fillRect(note, theme.base);
                frame.painter.setPen(theme.dim);
                frame.painter.drawText(note, Qt::AlignCenter, words);
            }
        }
    }
}

/// Paints each mark as a line over all tracks with its number on the ruler.
void TimelinePainter::paintMarks(const Frame& frame) const
{
    constexpr double kFlag = 16;
    const QColor& colour = frame.scene.theme->warning;
    frame.painter.save();
    frame.painter.setClipRect(QRect(frame.tracks.left(), 0, frame.tracks.width(), frame.tracks.bottom() + 1));
    for (std::size_t i = 0; i < frame.scene.marks.size(); ++i) {
        const double x = std::round(frame.x(frame.scene.marks[i]));
        frame.painter.setPen(QPen(colour, 1));
        frame.painter.drawLine(QPointF(x, 0), QPointF(x, frame.tracks.bottom()));
        const QRectF flag(x, 0, kFlag, rulerHeight() - 8);
        frame.painter.fillRect(flag, colour);
        frame.painter.setPen(inkOn(colour));
        frame.painter.drawText(flag, Qt::AlignCenter, QString::number(i + 1));
    }
    frame.painter.restore();
}

void TimelinePainter::paintRuler(const Frame& frame) const
{
    const Theme& theme = *frame.scene.theme;
    const int right = frame.tracks.right() + 1;
    frame.painter.fillRect(0, 0, right, rulerHeight(), theme.window);
    frame.painter.setPen(theme.line);
    frame.painter.drawLine(0, rulerHeight() - 1, right, rulerHeight() - 1);
    frame.painter.drawLine(labelWidth() - 1, 0, labelWidth() - 1, frame.tracks.bottom());
    frame.painter.setPen(theme.dim);
    const QRect box(10, 0, labelWidth() - 16, rulerHeight());
    const QString length = toQt(values::durationText(frame.scene.visible.length()));
    const QString text = u"visible: "_s + length;
    const bool fits = frame.painter.fontMetrics().horizontalAdvance(text) <= box.width();
    frame.painter.drawText(box, Qt::AlignVCenter | Qt::AlignLeft, fits ? text : length);
    for (const Tick& tick : ticks(frame.scene.visible, frame.tracks.width(), kTickSpacing)) {
        const auto x = static_cast<int>(std::lround(frame.x(tick.timeNs)));
        frame.painter.drawLine(x, rulerHeight() - 7, x, rulerHeight() - 1);
        const int width = frame.metrics.horizontalAdvance(tick.text) + 4;
        if (x + 4 + width < right) {
            frame.painter.drawText(QRect(x + 4, 0, width, rulerHeight() - 2),
                                   Qt::AlignVCenter | Qt::AlignLeft, tick.text);
        }
    }
}

/// A line under the mouse, with its time on the ruler, or how long the chosen time is.
void TimelinePainter::paintHover(const Frame& frame) const
{
    constexpr double kSecond = 1e9;
    const auto chosen = frame.scene.range;
    if (!frame.scene.hover && !chosen) {
        return;
    }
    const std::int64_t time = frame.scene.hover.value_or(chosen ? chosen->end : 0);
    const double x = std::round(frame.x(time));
    if (x < frame.tracks.left() || x > frame.tracks.right()) {
        return;
    }
    QColor line = frame.scene.theme->dim;
    line.setAlpha(150);
    if (frame.scene.hover) {
        frame.painter.setPen(QPen(line, 1));
        frame.painter.drawLine(QPointF(x, rulerHeight()), QPointF(x, frame.tracks.bottom()));
    }
    QString text = u"%1 s"_s.arg(static_cast<double>(time) / kSecond, 0, 'f', 6);
    if (chosen) {
        text += u", chosen "_s + toQt(values::durationText(chosen->length()));
    } else if (const auto mark = std::ranges::lower_bound(frame.scene.marks, time);
               mark != frame.scene.marks.begin()) {
        text += u", %1 after mark %2"_s.arg(toQt(values::durationText(time - *(mark - 1))))
                    .arg(mark - frame.scene.marks.begin());
    }
    const int width = frame.metrics.horizontalAdvance(text) + 8;
    const double left =
        std::clamp<double>(x - width / 2.0, frame.tracks.left(), frame.tracks.right() - width);
    const QRectF box(left, 1, width, rulerHeight() - 3);
    frame.painter.fillRect(box, frame.scene.theme->card);
    frame.painter.setPen(frame.scene.theme->text);
    frame.painter.drawText(box, Qt::AlignCenter, text);
}

} // namespace ringside::gui
