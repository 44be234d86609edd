// SPDX-License-Identifier: GPL-3.0-or-later
// Tool tips of the timeline: what the mouse points at, in words and figures.
#include "base/text.h"
#include "model/unrecorded_device.h"
#include "timeline/timeline_widget.h"
#include "values/text.h"

#include <QHelpEvent>
#include <QScrollBar>
#include <QToolTip>

namespace ringside::gui {

using namespace Qt::StringLiterals;

QString TimelineWidget::sampleTip(const timeline::SampleLine& line, std::int64_t timeNs) const
{
    const model::Model& model = m_session.report->model;
    const QString whose = line.rank ? u"rank %1"_s.arg(model.ranks[*line.rank].rank)
                                    : u"host "_s + toQt(model.hosts[line.host].name);
    const auto value = line.at(timeNs);
    return u"<b>%1</b><br>%2<br>%3"_s.arg(
        toHtml(line.name), value ? toHtml(timeline::valueText(*value, line.unit)) : u"not measured here"_s,
        whose.toHtmlEscaped());
}

/// What a pixel of a strip stands for, in figures. An empty one may be time that was not recorded.
QString TimelineWidget::stripTip(std::size_t rank, std::int64_t timeNs) const
{
    const std::int64_t pixel = nsPerPixel(visible(), tracks().width());
    const Interval here{timeNs - pixel / 2, timeNs - pixel / 2 + std::max<std::int64_t>(1, pixel)};
    const auto shares = timeline::rankCoverage(*m_session.timeline, rank, here, 1).front();
    QString rows;
    for (std::size_t kind = 0; kind < timeline::kSpanKinds; ++kind) {
        if (shares[kind] > 0) {
            rows += u"<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2</td></tr>"_s.arg(
                toHtml(timeline::kindText(static_cast<timeline::SpanKind>(kind))),
                toHtml(values::percent(static_cast<double>(shares[kind]))));
        }
    }
    const model::Model& model = m_session.report->model;
    const bool recorded = !model::recordedDevice(model, model.ranks[rank], here).empty();
    if (rows.isEmpty()) {
        rows = recorded ? u"<tr><td>nothing on the GPU</td></tr>"_s
                        : u"<tr><td>what the GPU did was not recorded here</td></tr>"_s;
    }
    return u"<b>rank %1</b><table>%2</table>"_s.arg(model.ranks[rank].rank).arg(rows);
}

/// What a pixel stands for that several spans share; empty if it is one span's.
QString TimelineWidget::severalTip(const Row& row, std::int64_t timeNs) const
{
    constexpr std::size_t kSeveral = 3;
    const std::int64_t pixel = nsPerPixel(visible(), tracks().width());
    const timeline::Lane& lane = m_session.timeline->lanesOf(*row.track)[row.lane];
    const Interval here{timeNs - pixel / 2, timeNs + (pixel + 1) / 2};
    const std::size_t first = lane.firstEndingAfter(here.start);
    const std::size_t last = lane.firstStartingFrom(here.end);
    if (last < first + kSeveral) {
        return {};
    }
    const timeline::ByKind<std::int64_t> times = lane.timeOf(first, last);
    QString rows;
    for (std::size_t kind = 0; kind < timeline::kSpanKinds; ++kind) {
        if (times[kind] > 0) {
            rows += u"<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2</td></tr>"_s.arg(
                toHtml(timeline::kindText(static_cast<timeline::SpanKind>(kind))),
                toHtml(values::durationText(times[kind])));
        }
    }
    return u"<b>%L1 spans in this pixel</b><table>%2</table>zoom in to see them"_s.arg(last - first)
        .arg(rows);
}

QString TimelineWidget::tipAt(const QPoint& position) const
{
    if (ready() && m_scene.layout != nullptr && position.x() < tracks().left()) {
        const Row* const row = m_layout.rowAt(position.y() - tracks().top() + verticalScrollBar()->value());
        const std::int64_t leftOut =
            row != nullptr && row->track ? m_session.timeline->leftOutOf(*row->track) : 0;
        return row == nullptr ? QString()
                              : TimelinePainter::labelOf(m_scene, *row).toHtmlEscaped() +
                                    (leftOut > 0 ? u"<br>%L1 more nest too deeply to be shown"_s.arg(leftOut)
                                                 : QString());
    }
    if (const Row* const row = rowAt(position); row != nullptr && row->kind == Row::Kind::Strip) {
        return stripTip(row->rank, timeAt(position.x()));
    }
    if (const Row* const row = rowAt(position); row != nullptr && row->kind == Row::Kind::Samples) {
        return sampleTip(m_session.timeline->samples[row->index], timeAt(position.x()));
    }
    const auto span = spanAt(position);
    if (!span) {
        return {};
    }
    QString several = severalTip(*rowAt(position), timeAt(position.x()));
    if (!several.isEmpty()) {
        return several;
    }
    const timeline::Description text =
        timeline::describe(m_session.report->model, *m_session.timeline, *span);
    QString html = u"<b>"_s + toHtml(text.title) + u"</b><table>"_s;
    for (const auto& [what, value] : text.lines) {
        html += u"<tr><td>"_s + toHtml(what) + u"&nbsp;&nbsp;</td><td>"_s + toHtml(value) + u"</td></tr>"_s;
    }
    return html + u"</table>"_s;
}

bool TimelineWidget::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave) {
        viewport()->update(); // the cross-hair goes
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), tipAt(help->pos()), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace ringside::gui
