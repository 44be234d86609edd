// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict, the parts of a step of each rank, and the data that the figures rest on.
#include "base/text.h"
#include "base/theme.h"
#include "report/report_tables.h"
#include "report/sentences.h"
#include "rules/shared/support.h"
#include "views/view.h"
#include "widgets/breakdown_chart.h"
#include "widgets/report_table.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

namespace ringside::gui::view_summary {
namespace {

using namespace Qt::StringLiterals;

QLabel* paragraph(QWidget* parent)
{
    auto* const label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

QString measured(const std::optional<double>& share)
{
    return share ? toQt(rules::percent(*share)) : u"not measured"_s;
}

/// A figure with its name below and its definition as tool tip.
struct Tile {
    QString name, value, help;
};

std::vector<Tile> tilesOf(const report::Report& report)
{
    const metrics::RunMetrics& run = report.metrics;
    const auto mean = [](const std::optional<metrics::Spread>& spread) {
        return measured(spread ? std::optional(spread->mean) : std::nullopt);
    };
    return {
        {u"median step"_s,
         run.stepMedianNs ? toQt(rules::milliseconds(*run.stepMedianNs)) : u"not measured"_s,
         u"Median time of the analyzed steps"_s},
        {u"comm / compute"_s, run.ratio ? QString::number(*run.ratio, 'f', 2) : u"not measured"_s,
         u"Time with communication divided by time with compute (unions of intervals)"_s},
        {u"GPU utilization"_s, mean(run.utilization),
         u"Share of a step in which the GPU computes, communicates or copies"_s},
        {u"useful utilization"_s, mean(run.usefulUtilization),
         u"GPU utilization without the time spent waiting inside collectives"_s},
        {u"spread over ranks"_s,
         run.usefulUtilization ? toQt(rules::points(run.usefulUtilization->spread)) : u"not measured"_s,
         u"Largest minus smallest useful utilization of a rank"_s},
    };
}

class SummaryView final : public View {
public:
    explicit SummaryView(QWidget* parent) : View(parent)
    {
        auto* const scroll = new QScrollArea(this);
        scroll->setWidgetResizable(true);
        scroll->setFrameShape(QFrame::NoFrame);
        scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        scroll->setAccessibleName(u"Summary"_s);
        scroll->setFocusPolicy(Qt::StrongFocus);
        setFocusProxy(scroll);
        auto* const page = new QWidget(scroll);
        auto* const rows = new QVBoxLayout(page);
        m_verdict = paragraph(page);
        m_verdict->setObjectName(u"verdict"_s);
        m_verdict->setMargin(10);
        m_tiles = new QGridLayout;
        m_chartTitle = paragraph(page);
        m_chart = new BreakdownChart(page);
        m_table =
            new ReportTable(u"Parts of a step of each rank, in ms"_s, ReportTable::Height::AllRows, page);
        m_rest = paragraph(page);
        rows->addWidget(m_verdict);
        rows->addLayout(m_tiles);
        rows->addWidget(m_chartTitle);
        rows->addWidget(m_chart);
        rows->addWidget(m_table);
        rows->addWidget(m_rest);
        rows->addStretch();
        scroll->setWidget(page);
        auto* const all = new QVBoxLayout(this);
        all->setContentsMargins(0, 0, 0, 0);
        all->addWidget(scroll);
    }

    void setSession(const Session& session) override
    {
        if (m_report == session.report) {
            return;
        }
        m_report = session.report;
        setColours();
        fillTiles();
        const bool broken = m_report->metrics.ranks.empty();
        m_chart->setVisible(!broken);
        m_table->setVisible(!broken);
        m_chartTitle->setText(
            broken ? QString(u"<b>The parts of a step were not measured.</b> "_s +
                             toHtml(m_report->sentence(report::whyNotMeasured(*m_report))))
            : m_report->model.recordingIsStep()
                ? u"<b>Parts of a second of the recording on each rank</b>: no step was found"_s
                : u"<b>Parts of a step of each rank</b>"_s);
        m_chart->setReport(m_report);
        m_table->setTable(report::breakdownTable(*m_report));
        m_rest->setText(restHtml());
    }

protected:
    void changeEvent(QEvent* event) override
    {
        View::changeEvent(event);
        if (event->type() == QEvent::PaletteChange && m_report) {
            setColours();
        }
    }

private:
    void setColours()
    {
        const Theme& theme = themeOf(palette());
        // Nothing was found, but what was not measured may limit the run: that is no good news.
        const bool certain = m_report->verdict.confidence != report::Confidence::Inconclusive &&
                             m_report->verdict.confidence != report::Confidence::Low;
        const QColor colour = m_report->verdict.limitedBy != rules::Limit::Nothing ? theme.communication
                              : certain                                            ? theme.copy
                                                                                   : theme.idle;
        m_verdict->setText(u"<p style=\"font-size:large\">%1</p><p style=\"color:%2\">Verdict: %3.</p>"_s.arg(
            toHtml(m_report->sentence(m_report->verdict.summary)), theme.dim.name(),
            toHtml(report::verdictText(*m_report))));
        m_verdict->setStyleSheet(
            u"QLabel { background: %1; border-left: 4px solid %2; }"_s.arg(theme.card.name(), colour.name()));
    }

    void fillTiles()
    {
        while (QLayoutItem* const item = m_tiles->takeAt(0)) {
            delete item->widget();
            delete item;
        }
        int column = 0;
        for (const Tile& tile : tilesOf(*m_report)) {
            QLabel* const label = paragraph(this);
            label->setText(
                u"<span style=\"font-size:x-large\"><b>%1</b></span><br>%2"_s.arg(tile.value, tile.name));
            label->setToolTip(tile.help);
            label->setAccessibleName(tile.name + u": "_s + tile.value);
            m_tiles->setColumnStretch(column, 1);
            m_tiles->addWidget(label, 0, column++);
        }
    }

    [[nodiscard]] QString restHtml() const
    {
        QString html = u"<p>"_s;
        for (const std::string& line : report::keyLines(*m_report)) {
            html += toHtml(line) + u"<br>"_s;
        }
        html += u"</p><p><b>What this rests on</b><br>"_s;
        for (const std::string& line : report::coverageLines(*m_report)) {
            html += toHtml(line) + u"<br>"_s;
        }
        html += u"</p><p><b>Tiers</b><br>"_s;
        for (const report::Tier& tier : m_report->tiers) {
            html += toHtml(tier.name) + u": "_s + toHtml(report::tierText(tier)) + u"<br>"_s;
        }
        if (!m_report->issues.empty()) {
            html += u"</p><p><b>Issues</b><br>"_s;
        }
        for (const trace::IssueRow& issue : m_report->issues) {
            html += toHtml(trace::severityName(issue.severity)) + u", %1x: "_s.arg(issue.count) +
                    toHtml(issue.message) + u"<br>"_s;
        }
        return html + u"</p>"_s;
    }

    std::shared_ptr<const report::Report> m_report;
    QLabel* m_verdict;
    QGridLayout* m_tiles;
    QLabel* m_chartTitle;
    BreakdownChart* m_chart;
    ReportTable* m_table;
    QLabel* m_rest;
};

} // namespace

RINGSIDE_VIEW(
    summary, .title = "Summary", .help = "The verdict, and the parts of a step of each rank", .order = 1,
    .place = Place::Left,
    .create = [](Navigator&, QWidget* parent) -> View* { return new SummaryView(parent); });

} // namespace ringside::gui::view_summary
