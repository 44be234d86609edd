// SPDX-License-Identifier: GPL-3.0-or-later
// What a right click in the timeline offers.
#include "base/moment.h"
#include "base/text.h"
#include "timeline/stored_marks.h"
#include "timeline/timeline_widget.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QInputDialog>
#include <QMenu>
#include <QScrollBar>
#include <QSettings>

namespace ringside::gui {

using namespace Qt::StringLiterals;

void TimelineWidget::contextMenuEvent(QContextMenuEvent* event)
{
    if (ready()) {
        QMenu menu(this);
        const bool byMouse = event->reason() == QContextMenuEvent::Mouse;
        fillMenu(menu, byMouse ? event->pos() : tracks().center());
        menu.exec(event->globalPos());
    }
}

void TimelineWidget::fillMenu(QMenu& menu, const QPoint& position)
{
    const Row* const row = m_layout.rowAt(position.y() - tracks().top() + verticalScrollBar()->value());
    const std::int64_t time = timeAt(position.x());
    if (const auto span = spanAt(position)) {
        addSpanActions(menu, *span);
    }
    addMarkActions(menu, time);
    const std::optional<std::int64_t> rank =
        row != nullptr && row->rank != Row::kNoRank
            ? std::optional(m_session.report->model.ranks[row->rank].rank)
            : std::nullopt;
    menu.addAction(u"Copy a &link to this view"_s, this, [this, rank] {
        QApplication::clipboard()->setText(linkTo(m_session.paths, visible(), rank));
    });
    QAction* const byFamily =
        menu.addAction(u"Colours by &family of kernels"_s, this, &TimelineWidget::setByFamily);
    byFamily->setCheckable(true);
    byFamily->setChecked(isByFamily());
    addExportActions(menu, rank ? std::optional(row->rank) : std::nullopt);
    menu.addSeparator();
    if (rank) {
        addRankActions(menu, row->rank);
    }
    menu.addAction(u"Show all ranks and &tracks"_s, this, [this] {
        m_shown.hidden.clear();
        m_shown.pinned.clear();
        m_shown.ranks.clear();
        relayout();
    });
}

void TimelineWidget::addSpanActions(QMenu& menu, const timeline::SpanId& span)
{
    const timeline::Span what = m_session.timeline->span(span);
    const std::string name =
        timeline::nameOf(m_session.report->model, m_session.timeline->tracks[span.track], what);
    menu.addAction(u"&Zoom to this"_s, this, [this, span, what] {
        select(span);
        showTime(framed(what.time, 0.25, m_zoom.limits()));
    });
    menu.addAction(u"&Choose its time"_s, this, [this, what] { setRange(what.time); });
    menu.addAction(u"&Mark all of this name"_s, this, [this, name] {
        find({name, std::nullopt, std::nullopt}, timeline::Direction::Forward);
    });
    menu.addAction(u"Copy its &name"_s, this, [name] { QApplication::clipboard()->setText(toQt(name)); });
    if (const auto collective = timeline::collectiveOf(*m_session.timeline, span)) {
        menu.addAction(u"Show its collective on &all ranks"_s, this,
                       [this, index = *collective] { showCollective(index); });
    }
    menu.addSeparator();
}

void TimelineWidget::addMarkActions(QMenu& menu, std::int64_t timeNs)
{
    constexpr int kNear = 6; // pixels
    const std::int64_t slack = nsPerPixel(visible(), tracks().width()) * kNear;
    const auto mark = m_marks.nearest(timeNs, slack);
    if (mark) {
        menu.addAction(u"Name this mark…"_s, this, [this, at = *mark] { askForMarkName(at); });
    }
    menu.addAction(mark ? u"&Remove this mark"_s : u"Add a mar&k here"_s, this, [this, timeNs, slack] {
        m_marks.toggle(timeNs, slack);
        storeMarks(m_session.paths, m_marks);
        m_scene.marks = m_marks.times();
        viewport()->update();
        emit selectionChanged();
    });
}

void TimelineWidget::addRankActions(QMenu& menu, std::size_t rank)
{
    const QString name = u"rank %1"_s.arg(m_session.report->model.ranks[rank].rank);
    const bool pinned = std::ranges::find(m_shown.pinned, rank) != m_shown.pinned.end();
    menu.addAction(pinned ? u"&Unpin %1"_s.arg(name) : u"&Pin %1 to the top"_s.arg(name), this,
                   [this, rank, pinned] {
                       std::erase(m_shown.pinned, rank);
                       if (!pinned) {
                           m_shown.pinned.push_back(rank);
                       }
                       relayout();
                   });
    menu.addAction(u"&Hide %1"_s.arg(name), this, [this, rank] {
        m_shown.hidden.insert(rank);
        relayout();
    });
    menu.addAction(u"Show &only %1"_s.arg(name), this, [this, rank] {
        m_shown.ranks = {rank};
        relayout();
    });
}

void TimelineWidget::setByFamily(bool byFamily)
{
    QSettings().setValue(QLatin1StringView(kByFamily), byFamily);
    m_scene.byFamily = byFamily;
    viewport()->update();
    emit selectionChanged(); // the legend is beside the selection
}

void TimelineWidget::addExportActions(QMenu& menu, std::optional<std::size_t> rank)
{
    const QString what = m_scene.range ? u"Export the chosen time"_s : u"Export the visible time"_s;
    menu.addAction(what + u" of all shown ranks…"_s, this, [this] { requestExport(); });
    if (rank) {
        menu.addAction(u"%1 of rank %2…"_s.arg(what).arg(m_session.report->model.ranks[*rank].rank), this,
                       [this, rank] { requestExport(rank); });
    }
}

void TimelineWidget::requestExport(std::optional<std::size_t> rank)
{
    if (!ready()) {
        return;
    }
    std::vector<std::size_t> ranks;
    for (std::size_t i = 0; i < m_session.report->model.ranks.size(); ++i) {
        const bool shown =
            (m_shown.ranks.empty() || m_shown.ranks.contains(i)) && !m_shown.hidden.contains(i);
        if (rank ? i == *rank : shown) {
            ranks.push_back(i);
        }
    }
    emit exportRequested(m_scene.range.value_or(visible()), ranks);
}

void TimelineWidget::askForMarkName(std::int64_t timeNs)
{
    auto* const dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(u"Name of the mark"_s);
    dialog->setLabelText(u"Name:"_s);
    dialog->setTextValue(toQt(m_marks.nameOf(timeNs)));
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this, timeNs](const QString& name) { renameMark(timeNs, name); });
    dialog->open();
}

} // namespace ringside::gui
