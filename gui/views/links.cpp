// SPDX-License-Identifier: GPL-3.0-or-later
// A map of hosts, their ports and what they exchanged, with health; and traffic of RDMA ports, network cards
// and NVLink over run time, beside the step time. It shows the results of `ringside links`.
#include "report/links.h"

#include "base/navigator.h"
#include "base/text.h"
#include "report/link_text.h"
#include "views/view.h"
#include "widgets/empty_page.h"
#include "widgets/link_map.h"
#include "widgets/report_table.h"
#include "widgets/sampled_charts.h"

#include <QLabel>
#include <QStackedLayout>
#include <QTabWidget>
#include <QVBoxLayout>

namespace ringside::gui::view_links {
namespace {

using namespace Qt::StringLiterals;

class LinksView final : public View {
public:
    LinksView(Navigator& navigator, QWidget* parent) : View(parent), m_navigator(navigator)
    {
        m_health = new QLabel(this);
        m_health->setWordWrap(true);
        m_health->setMargin(6);
        m_health->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_links = new LinkMap(this);
        m_charts =
            new SampledCharts(u"Traffic and counters of links over run time"_s, &metrics::isOfLink, this);
        setFocusProxy(m_links);
        auto* const page = new QWidget(this);
        auto* const lines = new QVBoxLayout(page);
        lines->setContentsMargins(0, 0, 0, 0);
        lines->addWidget(m_health);
        lines->addWidget(m_links);
        lines->addWidget(tables());
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
        connect(m_links, &LinkMap::portChosen, this, &LinksView::showPort);
        connect(m_links, &LinkMap::connectionChosen, this, &LinksView::showConnection);
        connect(m_connections, &ReportTable::rowChosen, this,
                [this](int row) { goToConnection(static_cast<std::size_t>(row)); });
    }

    void setSession(const Session& session) override
    {
        if (m_report == session.report) {
            return;
        }
        m_report = session.report;
        m_filled = false;
        if (isVisible()) {
            fill();
        }
    }

protected:
    void showEvent(QShowEvent* event) override
    {
        View::showEvent(event);
        fill();
    }

private:
    /// With thousands of ports this takes a while: only for somebody who looks.
    void fill()
    {
        if (m_filled || !m_report) {
            return;
        }
        m_filled = true;
        m_charts->setReport(m_report);
        m_map = std::make_shared<const report::HostMap>(report::hostMapOf(*m_report));
        document::Table ports = report::portTable(*m_report);
        const bool any = !ports.rows.empty() || !m_map->connections.empty();
        m_tables->setVisible(any);
        m_links->setVisible(any);
        m_links->setMap(m_report, m_map);
        m_ports->setTable(std::move(ports));
        m_connections->setTable(report::connectionTable(*m_report, *m_map));
        m_hosts->setTable(report::hostTable(*m_map));
        m_health->setText(healthHtml());
        m_pages->setCurrentIndex(any || m_charts->isMeasured() ? 0 : 1);
    }

    /// What the map shows, to be read, sorted and copied.
    QWidget* tables()
    {
        m_ports = new ReportTable(u"Ports and interfaces"_s, ReportTable::Height::AllRows, this);
        m_connections = new ReportTable(u"What hosts sent each other"_s, ReportTable::Height::AllRows, this);
        m_connections->setToolTip(u"A row shows its time in the timeline"_s);
        m_hosts = new ReportTable(u"Hosts with their ranks and ports"_s, ReportTable::Height::AllRows, this);
        m_tables = new QTabWidget(this);
        m_tables->setAccessibleName(u"Ports, pairs of hosts, or hosts"_s);
        m_tables->setDocumentMode(true);
        m_tables->addTab(m_ports, u"Ports"_s);
        m_tables->addTab(m_connections, u"Between hosts"_s);
        m_tables->addTab(m_hosts, u"Hosts"_s);
        return m_tables;
    }

    void showPort(std::size_t host, std::size_t port)
    {
        const report::MapHost& of = m_map->hosts[host];
        m_tables->setCurrentWidget(m_ports);
        m_ports->showRow(static_cast<int>(of.ports[port].row));
        goTo(report::findingsOf(*m_report, of, of.ports[port]));
    }

    void showConnection(std::size_t connection)
    {
        m_tables->setCurrentWidget(m_connections);
        m_connections->showRow(static_cast<int>(connection));
        goToConnection(connection);
    }

    /// The timeline shows where a finding has evidence, else when the two hosts had most data in flight.
    void goToConnection(std::size_t connection)
    {
        const report::Connection& each = m_map->connections[connection];
        if (!goTo(each.findings) && each.traffic.busiest && each.traffic.rank) {
            emit m_navigator.placeRequested(*each.traffic.busiest,
                                            {m_report->model.ranks[*each.traffic.rank].rank},
                                            u"<p>The time in which most data was in flight here.</p>"_s);
        }
    }

    bool goTo(const std::vector<const rules::Finding*>& findings)
    {
        const auto found = std::ranges::find_if(
            findings, [](const rules::Finding* finding) { return !finding->evidence.empty(); });
        if (found == findings.end()) {
            return false;
        }
        const rules::Evidence& evidence = (*found)->evidence.front();
        emit m_navigator.placeRequested({evidence.startNs, evidence.endNs},
                                        (*found)->ranks.empty() ? std::vector{evidence.rank}
                                                                : (*found)->ranks,
                                        u"<h4>%1</h4>"_s.arg(toHtml(m_report->sentence((*found)->title))));
        return true;
    }

    [[nodiscard]] QString healthHtml() const
    {
        QString html =
            u"<b>RDMA and NVLink: %1.</b>"_s.arg(toHtml(report::healthName(report::linkHealth(*m_report))));
        for (const rules::Finding* const finding : report::linkFindings(*m_report)) {
            html += u"<br>\u26A0 %1 (%2)"_s.arg(toHtml(m_report->sentence(finding->title)),
                                                toHtml(finding->rule));
        }
        return html;
    }

    Navigator& m_navigator;
    std::shared_ptr<const report::Report> m_report;
    std::shared_ptr<const report::HostMap> m_map;
    bool m_filled = false; ///< with m_report
    QLabel* m_health;
    LinkMap* m_links;
    QTabWidget* m_tables = nullptr;
    ReportTable* m_ports = nullptr;
    ReportTable* m_connections = nullptr;
    ReportTable* m_hosts = nullptr;
    SampledCharts* m_charts;
    EmptyPage* m_none;
    QStackedLayout* m_pages;
};

} // namespace

RINGSIDE_VIEW(
    links, .title = "Links",
    .help = "Hosts, ports and what they exchanged as a map, with health and traffic over time", .order = 9,
    .place = Place::Right, .create = [](Navigator& navigator, QWidget* parent) -> View* {
        return new LinksView(navigator, parent);
    });

} // namespace ringside::gui::view_links
