// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives by kind, size and communicator: number, time and bandwidth. A second page shows the traffic
// between ranks.
#include "base/navigator.h"
#include "base/text.h"
#include "models/traffic_table.h"
#include "report/communicators.h"
#include "report/report_tables.h"
#include "views/view.h"
#include "widgets/bandwidth_plot.h"
#include "widgets/report_table.h"

#include <QComboBox>
#include <QLabel>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

namespace ringside::gui::view_collectives {
namespace {

using namespace Qt::StringLiterals;

class CollectivesView final : public View {
public:
    CollectivesView(Navigator& navigator, QWidget* parent) : View(parent)
    {
        m_title = label(this);
        m_communicator = new QComboBox(this);
        m_communicator->setAccessibleName(u"Communicator"_s);
        m_communicator->setToolTip(u"Show the collectives of one communicator"_s);
        m_plot = new BandwidthPlot(this);
        m_table = new ReportTable(u"Collectives"_s, ReportTable::Height::Fill, this);
        setFocusProxy(m_table);
        auto* const tabs = new QTabWidget(this);
        tabs->setDocumentMode(true);
        tabs->setAccessibleName(u"Collectives or pairs of ranks"_s);
        tabs->addTab(m_table, u"Collectives"_s);
        tabs->addTab(pairsPage(), u"Sender × receiver"_s);
        auto* const both = new QSplitter(Qt::Vertical, this);
        both->addWidget(m_plot);
        both->addWidget(tabs);
        both->setSizes({240, 180});
        auto* const line = new QHBoxLayout;
        line->setContentsMargins(0, 2, 6, 0);
        line->addWidget(m_title, 1);
        line->addWidget(m_communicator);
        auto* const all = new QVBoxLayout(this);
        all->setContentsMargins(0, 0, 0, 0);
        all->addLayout(line);
        all->addWidget(both, 1);
        m_table->setToolTip(u"A row shows its collectives in the timeline, one after the other"_s);
        connect(m_communicator, &QComboBox::currentIndexChanged, this, [this] { fill(); });
        connect(m_table, &ReportTable::rowChosen, this, [this, &navigator](int row) {
            emit navigator.collectiveRequested(*m_groups[static_cast<std::size_t>(row)]);
        });
        connect(&navigator, &Navigator::collectiveRowRequested, this,
                [this, &navigator](std::size_t operation) {
                    m_communicator->setCurrentIndex(0);
                    chooseRow(m_report->model.operations[operation]);
                    emit navigator.viewRequested(u"collectives"_s);
                });
    }

    void setSession(const Session& session) override
    {
        if (m_report == session.report) {
            return;
        }
        m_report = session.report;
        m_document = session.document;
        fillCommunicators();
        fill();
    }

private:
    static QLabel* label(QWidget* parent)
    {
        auto* const each = new QLabel(parent);
        each->setWordWrap(true);
        each->setMargin(6);
        return each;
    }

    QWidget* pairsPage()
    {
        auto* const page = new QWidget(this);
        m_pairsTitle = label(page);
        m_pairs = new ReportTable(u"Sender by receiver"_s, ReportTable::Height::Fill, page);
        auto* const lines = new QVBoxLayout(page);
        lines->setContentsMargins(0, 0, 0, 0);
        lines->addWidget(m_pairsTitle);
        lines->addWidget(m_pairs, 1);
        return page;
    }

    void fillCommunicators()
    {
        const QSignalBlocker quiet(m_communicator);
        const auto labels = report::communicatorLabels(*m_report);
        const QVariant chosen = m_communicator->currentData();
        m_communicator->clear();
        m_communicator->addItem(u"all communicators"_s);
        for (const auto& [hash, text] : labels) {
            m_communicator->addItem(toQt(text), QVariant::fromValue<qulonglong>(hash));
        }
        m_communicator->setCurrentIndex(chosen.isValid() ? std::max(0, m_communicator->findData(chosen)) : 0);
        m_communicator->setVisible(labels.size() > 1);
    }

    void fill()
    {
        const QVariant hash = m_communicator->currentData();
        const auto chosen = hash.isValid() ? std::optional<std::uint64_t>(hash.toULongLong()) : std::nullopt;
        const document::Section* const section = m_document->find(document::SectionId::Collectives);
        m_title->setText(section == nullptr
                             ? u"No collectives were matched: this needs the calls of all ranks."_s
                             : toQt(section->title));
        m_plot->setReport(m_report, chosen);
        m_plot->setVisible(m_plot->hasPoints());
        m_table->setTable(report::collectiveTable(*m_report, chosen));
        m_groups.clear();
        for (const metrics::CollectiveGroup& group : m_report->metrics.collectives) {
            if (!chosen || group.communicator == *chosen) {
                m_groups.push_back(&group); // the rows of the table
            }
        }
        const metrics::Traffic traffic = metrics::trafficOf(m_report->model, chosen);
        m_pairsTitle->setText(trafficTitle(traffic));
        m_pairs->setVisible(!traffic.pairs.empty());
        m_pairs->setTable(trafficTable(traffic));
    }

    void chooseRow(const model::Operation& operation)
    {
        for (std::size_t row = 0; row < m_groups.size(); ++row) {
            const metrics::CollectiveGroup& group = *m_groups[row];
            if (group.communicator == operation.communicator && group.kind == operation.kind &&
                group.bytes == operation.bytes) {
                m_table->showRow(static_cast<int>(row));
            }
        }
    }

    std::shared_ptr<const report::Report> m_report;
    std::shared_ptr<const document::Document> m_document;
    std::vector<const metrics::CollectiveGroup*> m_groups; ///< of m_report, by row of the table
    QLabel* m_title;
    QComboBox* m_communicator;
    BandwidthPlot* m_plot;
    ReportTable* m_table;
    QLabel* m_pairsTitle = nullptr;
    ReportTable* m_pairs = nullptr;
};

} // namespace

RINGSIDE_VIEW(
    collectives, .title = "Collectives",
    .help = "Number, duration and bandwidth of collectives, by kind and size", .order = 6,
    .place = Place::Right, .create = [](Navigator& navigator, QWidget* parent) -> View* {
        return new CollectivesView(navigator, parent);
    });

} // namespace ringside::gui::view_collectives
