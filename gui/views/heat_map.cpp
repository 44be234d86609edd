// SPDX-License-Identifier: GPL-3.0-or-later
// Heat map of one figure for every rank and analyzed step. A late rank shows as a row, a slow step as a
// column.
#include "widgets/heat_map.h"

#include "base/navigator.h"
#include "base/text.h"
#include "models/step_figures.h"
#include "views/view.h"
#include "widgets/report_table.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QTabWidget>
#include <QVBoxLayout>

namespace ringside::gui::view_heat_map {
namespace {

using namespace Qt::StringLiterals;

class HeatMapView final : public View {
public:
    HeatMapView(Navigator& navigator, QWidget* parent) : View(parent)
    {
        m_figure = new QComboBox(this);
        m_figure->setAccessibleName(u"Figure"_s);
        m_figure->setToolTip(u"Figure that the colours show"_s);
        for (const StepFigure& figure : stepFigures()) {
            m_figure->addItem(QString::fromLatin1(figure.name));
        }
        m_map = new HeatMap(this);
        m_table = new ReportTable(u"The same as a table"_s, ReportTable::Height::Fill, this);
        m_none = new QLabel(this);
        m_none->setWordWrap(true);
        m_none->setMargin(20);
        setFocusProxy(m_map);
        auto* const tabs = new QTabWidget(this);
        tabs->setAccessibleName(u"Map or table"_s);
        tabs->setDocumentMode(true);
        tabs->addTab(m_map, u"Map"_s);
        tabs->addTab(m_table, u"Table"_s);
        auto* const line = new QHBoxLayout;
        line->setContentsMargins(6, 4, 6, 0);
        line->addWidget(new QLabel(u"Ranks down, steps across:"_s, this));
        line->addWidget(m_figure);
        line->addStretch();
        auto* const all = new QVBoxLayout(this);
        all->setContentsMargins(0, 0, 0, 0);
        all->addLayout(line);
        all->addWidget(m_none);
        all->addWidget(tabs, 1);
        connect(m_figure, &QComboBox::currentIndexChanged, this, [this] { fill(); });
        connect(m_map, &HeatMap::cellChosen, this, [this, &navigator](std::size_t rank, std::size_t step) {
            const metrics::RankMetrics& figures = m_report->metrics.ranks[rank];
            const model::Rank& place = m_report->model.ranks[figures.rank];
            const Interval& local = figures.windows[step];
            emit navigator.placeRequested({place.clock.toRun(local.start), place.clock.toRun(local.end)},
                                          {place.rank}, m_map->textOf({rank, step}).toHtmlEscaped());
        });
    }

    void setSession(const Session& session) override
    {
        if (m_report != session.report) {
            m_report = session.report;
            m_document = session.document;
            const QSignalBlocker quiet(m_figure);
            if (!session.isFollowed) {
                m_figure->setCurrentIndex(static_cast<int>(defaultFigure(*m_report)));
            }
            fill();
        }
    }

private:
    using Interval = model::Interval;

    void fill()
    {
        if (!m_report) {
            return;
        }
        const bool whole = m_report->model.recordingIsStep();
        m_none->setVisible(m_report->metrics.ranks.empty() || whole);
        m_none->setText(whole ? u"No step was found: the only column is the whole recording."_s
                              : toHtml(m_document->notMeasured));
        const StepFigure& figure = stepFigures()[static_cast<std::size_t>(m_figure->currentIndex())];
        m_map->setFigures(m_report, figure);
        m_table->setTable(stepTable(*m_report, figure));
    }

    std::shared_ptr<const report::Report> m_report;
    std::shared_ptr<const document::Document> m_document;
    QComboBox* m_figure;
    HeatMap* m_map;
    ReportTable* m_table;
    QLabel* m_none;
};

} // namespace

RINGSIDE_VIEW(
    heat_map, .title = "Ranks and steps", .help = "One figure of every rank in every step", .order = 4,
    .place = Place::Right, .create = [](Navigator& navigator, QWidget* parent) -> View* {
        return new HeatMapView(navigator, parent);
    });

} // namespace ringside::gui::view_heat_map
