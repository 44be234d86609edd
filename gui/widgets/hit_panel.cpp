// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hit_panel.h"

#include "timeline/hit_table.h"
#include "widgets/report_table.h"

#include <QLabel>
#include <QVBoxLayout>

namespace ringside::gui {

using namespace Qt::StringLiterals;

HitPanel::HitPanel(QWidget* parent) : QWidget(parent)
{
    m_title = new QLabel(this);
    m_title->setWordWrap(true);
    m_table = new ReportTable(u"Matches of the search"_s, ReportTable::Height::Fill, this);
    m_table->setToolTip(u"A row zooms to its match"_s);
    setFocusProxy(m_table);
    auto* const lines = new QVBoxLayout(this);
    lines->setContentsMargins(6, 2, 6, 4);
    lines->setSpacing(2);
    lines->addWidget(m_title);
    lines->addWidget(m_table);
    connect(m_table, &ReportTable::rowChosen, this,
            [this](int row) { emit hitChosen(static_cast<std::size_t>(row)); });
}

void HitPanel::setHits(const Session& session, const timeline::Hits* hits, std::size_t number)
{
    if (hits == nullptr) {
        m_listed = nullptr;
        m_title->setText(u"No search: type a part of a name above, and Enter."_s);
        m_table->setTable({});
        return;
    }
    if (hits != m_listed || hits->request != m_request) {
        m_listed = hits;
        m_request = hits->request;
        list(session, *hits);
    }
    if (number > 0 && number <= m_rows) {
        m_table->showRow(static_cast<int>(number - 1));
    }
}

void HitPanel::list(const Session& session, const timeline::Hits& hits)
{
    document::Table table = timeline::hitTable(session.report->model, *session.timeline, hits);
    m_rows = table.rows.size();
    m_table->setTable(std::move(table),
                      timeline::shownNames(session.report->model, *session.timeline, hits, m_rows));
    m_title->setText(m_rows < hits.count
                         ? u"%L1 found; the first %L2 by time are listed"_s.arg(hits.count).arg(m_rows)
                         : u"%L1 found, by time"_s.arg(hits.count));
}

} // namespace ringside::gui
