// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/range_panel.h"

#include "base/text.h"
#include "timeline/range_statistics.h"
#include "values/text.h"
#include "widgets/report_table.h"

#include <QLabel>
#include <QVBoxLayout>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

QString titleOf(const model::Interval& range)
{
    constexpr double kNsASecond = 1e9;
    return u"%1 chosen, from %2 s to %3 s"_s.arg(toQt(values::durationText(range.length())))
        .arg(static_cast<double>(range.start) / kNsASecond, 0, 'f', 6)
        .arg(static_cast<double>(range.end) / kNsASecond, 0, 'f', 6);
}

} // namespace

RangePanel::RangePanel(QWidget* parent) : QWidget(parent)
{
    m_title = new QLabel(this);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_table = new ReportTable(u"Figures of the chosen time"_s, ReportTable::Height::Fill, this);
    auto* const lines = new QVBoxLayout(this);
    lines->setContentsMargins(6, 2, 6, 4);
    lines->setSpacing(2);
    lines->addWidget(m_title);
    lines->addWidget(m_table);
    hide();
}

void RangePanel::setRange(const Session& session, const std::optional<model::Interval>& range)
{
    if (m_range == range && m_session.timeline == session.timeline) {
        return;
    }
    m_session = session;
    m_range = range;
    m_text.clear();
    setVisible(range.has_value());
    if (range) {
        m_title->setText(titleOf(*range) + u": computing …"_s);
        compute();
    }
}

/// One computation runs at a time. A range chosen meanwhile is computed next.
void RangePanel::compute()
{
    if (m_computing) {
        return;
    }
    m_computing = true;
    m_worker = std::jthread([this, session = m_session, range = *m_range] {
        const model::Model& model = session.report->model;
        document::Table table =
            timeline::tableOf(model, timeline::statisticsOf(model, *session.timeline, range));
        QMetaObject::invokeMethod(
            this,
            [this, session, range, table = std::move(table)] {
                m_computing = false;
                if (m_range == range && m_session.timeline == session.timeline) {
                    showTable(range, table);
                } else if (m_range) {
                    compute();
                }
            },
            Qt::QueuedConnection);
    });
}

void RangePanel::showTable(const model::Interval& range, const document::Table& table)
{
    m_title->setText(titleOf(range) + u" (Ctrl+C in the timeline copies this)"_s);
    m_table->setTable(table);
    QStringList lines{titleOf(range), toQt(table.header).join(u'\t')};
    for (const std::vector<document::Cell>& row : table.rows) {
        QStringList cells;
        std::ranges::transform(row, std::back_inserter(cells),
                               [](const document::Cell& cell) { return toQt(document::cellText(cell)); });
        lines.append(cells.join(u'\t'));
    }
    m_text = lines.join(u'\n') + u'\n';
    emit ready();
}

} // namespace ringside::gui
