// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives by kind, size and communicator: how many, how long, how fast.
#include "app/text.h"
#include "report/table.h"
#include "views/view.h"
#include "widgets/bandwidth_plot.h"
#include "widgets/report_table.h"

#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

class CollectivesView final : public View {
public:
    explicit CollectivesView(QWidget* parent) : View(parent)
    {
        m_title = new QLabel(this);
        m_title->setWordWrap(true);
        m_title->setMargin(6);
        m_plot = new BandwidthPlot(this);
        m_table = new ReportTable(u"Collectives"_s, ReportTable::Height::Fill, this);
        setFocusProxy(m_table);
        auto* const both = new QSplitter(Qt::Vertical, this);
        both->addWidget(m_plot);
        both->addWidget(m_table);
        both->setSizes({220, 160});
        auto* const all = new QVBoxLayout(this);
        all->setContentsMargins(0, 0, 0, 0);
        all->addWidget(m_title);
        all->addWidget(both, 1);
    }

    void setSession(const Session& session) override
    {
        if (m_report == session.report) {
            return;
        }
        m_report = session.report;
        const bool none = m_report->metrics.collectives.empty();
        m_title->setText(none ? u"No collectives were matched: this needs the calls of all ranks."_s
                              : toQt(report::collectivesTitle(*m_report)));
        m_plot->setReport(m_report);
        m_plot->setVisible(m_plot->hasPoints());
        m_table->setVisible(!none);
        m_table->setTable(report::collectiveTable(*m_report));
    }

private:
    std::shared_ptr<const report::Report> m_report;
    QLabel* m_title;
    BandwidthPlot* m_plot;
    ReportTable* m_table;
};

} // namespace
} // namespace ringside::gui

RINGSIDE_VIEW(
    collectives, .title = "Collectives", .help = "How many, how long, how fast, by kind and size", .order = 5,
    .place = ringside::gui::Place::Right,
    .create = [](ringside::gui::Navigator&, QWidget* parent) -> ringside::gui::View* {
        return new ringside::gui::CollectivesView(parent);
    });
