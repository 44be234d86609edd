// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sampled_charts.h"

#include "base/text.h"
#include "report/sampled_table.h"
#include "widgets/report_table.h"

#include <QComboBox>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace ringside::gui {

using namespace Qt::StringLiterals;

SampledCharts::SampledCharts(const QString& name, Wanted wanted, QWidget* parent)
    : QWidget(parent), m_wanted(std::move(wanted))
{
    m_choice = new QComboBox(this);
    m_choice->setAccessibleName(u"Series that is shown"_s);
    m_choice->setToolTip(u"Chooses a sampled series; those that were not measured are at the end"_s);
    m_choice->setMaxVisibleItems(30);
    m_values = new LinePlot(name, this);
    m_steps = new LinePlot(u"Step time over run time"_s, this);
    m_table = new ReportTable(u"Figures of the sampled series"_s, ReportTable::Height::Fill, this);
    setFocusProxy(m_choice);
    auto* const parts = new QSplitter(Qt::Vertical, this);
    parts->addWidget(m_values);
    parts->addWidget(m_steps);
    parts->addWidget(m_table);
    parts->setSizes({260, 130, 140});
    auto* const line = new QHBoxLayout;
    line->setContentsMargins(6, 4, 6, 0);
    line->addWidget(new QLabel(u"Over run time:"_s, this));
    line->addWidget(m_choice, 1);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addLayout(line);
    all->addWidget(parts, 1);
    connect(m_values, &LinePlot::timesChanged, m_steps, &LinePlot::setTimes);
    connect(m_steps, &LinePlot::timesChanged, m_values, &LinePlot::setTimes);
    connect(m_choice, &QComboBox::currentIndexChanged, this, [this] { fill(); });
}

void SampledCharts::setReport(std::shared_ptr<const report::Report> report)
{
    m_report = std::move(report);
    m_metrics = metrics::sampledMetrics(m_report->model);
    std::erase_if(m_metrics, [this](const metrics::SampledMetric& metric) { return !m_wanted(metric); });
    std::ranges::stable_partition(m_metrics, &metrics::SampledMetric::isMeasured);
    const QSignalBlocker quiet(m_choice);
    m_choice->clear();
    for (const metrics::SampledMetric& metric : m_metrics) {
        m_choice->addItem(toQt(metric.name()) + (metric.isMeasured() ? QString() : u"  (not measured)"_s));
    }
    const std::vector<metrics::LinePoint> steps = metrics::stepTimeLine(m_report->model, m_report->metrics);
    m_steps->setLines(u"step, ms"_s, {{u"slowest rank"_s, steps}});
    m_steps->setVisible(!steps.empty());
    fill();
}

bool SampledCharts::isMeasured() const
{
    return std::ranges::any_of(m_metrics, &metrics::SampledMetric::isMeasured);
}

void SampledCharts::fill()
{
    if (m_metrics.empty()) {
        return;
    }
    const auto& metric = m_metrics[static_cast<std::size_t>(std::max(0, m_choice->currentIndex()))];
    std::vector<LinePlot::Line> lines;
    for (const metrics::SampledLine& line : metric.lines) {
        if (!line.points.empty()) {
            lines.push_back({toQt(report::lineName(m_report->model, line)), line.points});
        }
    }
    m_values->setLines(metric.unit.empty() ? u"number"_s : toQt(metric.unit), lines);
    m_table->setTable(report::sampledTable(m_report->model, metric));
}

} // namespace ringside::gui
