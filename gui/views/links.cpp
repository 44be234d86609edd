// SPDX-License-Identifier: GPL-3.0-or-later
// Health and traffic of RDMA ports, network cards and NVLink over run time, beside the step time. It shows
// the results of `ringside links`.
#include "report/links.h"

#include "app/text.h"
#include "report/link_text.h"
#include "views/view.h"
#include "widgets/empty_page.h"
#include "widgets/report_table.h"
#include "widgets/sampled_charts.h"

#include <QLabel>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>

namespace ringside::gui::view_links {
namespace {

using namespace Qt::StringLiterals;

class LinksView final : public View {
public:
    explicit LinksView(QWidget* parent) : View(parent)
    {
        m_health = new QLabel(this);
        m_health->setWordWrap(true);
        m_health->setMargin(6);
        m_health->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_ports = new ReportTable(u"Ports and interfaces"_s, ReportTable::Height::AllRows, this);
        m_charts =
            new SampledCharts(u"Traffic and counters of links over run time"_s, &metrics::isOfLink, this);
        setFocusProxy(m_charts);
        auto* const page = new QWidget(this);
        auto* const lines = new QVBoxLayout(page);
        lines->setContentsMargins(0, 0, 0, 0);
        lines->addWidget(m_health);
        lines->addWidget(m_ports);
        lines->addWidget(m_charts, 1);
        m_none = new EmptyPage(this);
        m_none->setText(
            u"Not measured"_s,
            u"<p>The run holds no port: neither RDMA devices nor network cards nor NVLink were sampled.</p>"
            u"<p>Ports are read if the machine has some and tier <i>sampled</i> is active (it is in every "
            u"profile). <code>ringside links --live</code> shows those of a machine, <code>ringside "
            u"doctor</code> "
            u"says why none can be read. Inside a container, /sys/class/infiniband must be visible.</p>"_s);
        m_pages = new QStackedLayout(this);
        m_pages->addWidget(page);
        m_pages->addWidget(m_none);
    }

    void setSession(const Session& session) override
    {
        if (m_report == session.report) {
            return;
        }
        m_report = session.report;
        m_charts->setReport(m_report);
        report::Table ports = report::portTable(*m_report);
        const bool any = !ports.rows.empty();
        m_ports->setVisible(any);
        m_ports->setTable(std::move(ports));
        m_health->setText(healthHtml());
        m_pages->setCurrentIndex(any || m_charts->isMeasured() ? 0 : 1);
    }

private:
    [[nodiscard]] QString healthHtml() const
    {
        QString html =
            u"<b>RDMA and NVLink: %1.</b>"_s.arg(toHtml(report::healthName(report::linkHealth(*m_report))));
        for (const rules::Finding* const finding : report::linkFindings(*m_report)) {
            html += u"<br>\u26A0 %1 (%2)"_s.arg(toHtml(finding->title), toHtml(finding->rule));
        }
        return html;
    }

    std::shared_ptr<const report::Report> m_report;
    QLabel* m_health;
    ReportTable* m_ports;
    SampledCharts* m_charts;
    EmptyPage* m_none;
    QStackedLayout* m_pages;
};

} // namespace

RINGSIDE_VIEW(
    links, .title = "Links", .help = "Health and traffic of RDMA ports, network cards and NVLink over time",
    .order = 9, .place = Place::Right,
    .create = [](Navigator&, QWidget* parent) -> View* { return new LinksView(parent); });

} // namespace ringside::gui::view_links
