// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bandwidth_plot.h"

#include "base/text.h"
#include "base/theme.h"
#include "values/text.h"
#include "widgets/picture_menu.h"
#include "widgets/plot_colours.h"

#include <QHelpEvent>
#include <QToolTip>
#include <QVBoxLayout>
#include <qcustomplot.h>

#include <array>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

/// Places ticks at powers of two: 1 KiB, 32 KiB, 1 MiB ...
class SizeTicker final : public QCPAxisTickerLog {
protected:
    QString getTickLabel(double tick, const QLocale& /*locale*/, QChar /*format*/, int /*precision*/) override
    {
        return toQt(values::byteText(tick));
    }
};

} // namespace

BandwidthPlot::BandwidthPlot(QWidget* parent)
    : QWidget(parent), m_legend(new ChartLegend(this)), m_plot(new QCustomPlot(this))
{
    setAccessibleName(u"Bus bandwidth over message size"_s);
    setAccessibleDescription(u"The table below holds the same values."_s);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(m_legend);
    all->addWidget(m_plot, 1);
    m_plot->setMinimumSize(260, 150);
    addPictureMenu(*this);
    m_plot->xAxis->setScaleType(QCPAxis::stLogarithmic);
    const QSharedPointer<SizeTicker> ticker(new SizeTicker);
    constexpr double kBase = 4;
    ticker->setLogBase(kBase);
    m_plot->xAxis->setTicker(ticker);
    m_plot->xAxis->setLabel(u"message size"_s);
    m_plot->yAxis->setLabel(u"bus bandwidth, GB/s"_s);
}

void BandwidthPlot::setReport(std::shared_ptr<const report::Report> report,
                              std::optional<std::uint64_t> communicator)
{
    m_report = std::move(report);
    m_communicator = communicator;
    m_plot->clearGraphs();
    m_points = 0;
    addPoints(u"transfer, from the last arrival"_s, true);
    addPoints(u"whole kernels, with waiting"_s, false);
    m_plot->rescaleAxes();
    constexpr double kRoom = 4; // times the largest value
    m_plot->xAxis->setRange(m_plot->xAxis->range().lower / kRoom, m_plot->xAxis->range().upper * kRoom);
    addLimits();
    m_plot->yAxis->rescale();
    constexpr double kHeadroom = 1.1;
    m_plot->yAxis->setRange(0, std::max(1e-3, m_plot->yAxis->range().upper * kHeadroom));
    setColours();
}

void BandwidthPlot::addLimits()
{
    if (m_points == 0) {
        return;
    }
    constexpr double kBits = 8;
    double fastest = 0;
    for (const metrics::Port& port : m_report->metrics.ports) {
        fastest = std::max(fastest, port.bitsPerNs().value_or(0) / kBits);
    }
    if (fastest > 0) {
        addLimit(u"fastest port, %1 GB/s"_s.arg(fastest, 0, 'g', 4), fastest);
    }
    if (const auto& fit = m_report->metrics.allReduceFit) {
        const double peak =
            metrics::busFactor(model::CollectiveKind::AllReduce, m_report->model.worldSize) / fit->nsPerByte;
        addLimit(u"limit of this run's all-reduces, %1 GB/s"_s.arg(peak, 0, 'g', 3), peak);
    }
}

/// Draws a horizontal line across the chart.
void BandwidthPlot::addLimit(const QString& name, double gbs)
{
    QCPGraph* const graph = m_plot->addGraph();
    graph->setName(name);
    graph->addData(m_plot->xAxis->range().lower, gbs);
    graph->addData(m_plot->xAxis->range().upper, gbs);
}

bool BandwidthPlot::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* const help = static_cast<QHelpEvent*>(event);
    const QPointF at(help->pos());
    constexpr double kNear = 12; // pixels
    double nearest = kNear;
    QString text;
    for (int i = 0; i < std::min(2, m_plot->graphCount()); ++i) {
        const QCPGraph* const graph = m_plot->graph(i);
        for (const QCPGraphData& point : *graph->data()) {
            const QPointF where(m_plot->xAxis->coordToPixel(point.key),
                                m_plot->yAxis->coordToPixel(point.value));
            if (const double distance = QLineF(at, where).length(); distance < nearest) {
                nearest = distance;
                text = u"%1: %2 GB/s at %3"_s.arg(graph->name(), QString::number(point.value, 'f', 2),
                                                  toQt(values::byteText(point.key)));
            }
        }
    }
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

void BandwidthPlot::addPoints(const QString& name, bool transfer)
{
    QCPGraph* const graph = m_plot->addGraph();
    graph->setName(name);
    graph->setLineStyle(QCPGraph::lsNone);
    for (const metrics::CollectiveGroup& group : m_report->metrics.collectives) {
        const auto& bandwidth = transfer ? group.transferBusGBs : group.kernelBusGBs;
        const bool wanted = !m_communicator || group.communicator == *m_communicator;
        if (wanted && group.bytes && *group.bytes > 0 && bandwidth) {
            graph->addData(static_cast<double>(*group.bytes), *bandwidth);
            ++m_points;
        }
    }
}

void BandwidthPlot::setColours()
{
    const Theme& theme = themeOf(palette());
    setPlotColours(*m_plot, theme);
    constexpr double kPoint = 9;
    // shapes differ too, so that colour is not the only difference
    for (int i = 0; i < m_plot->graphCount(); ++i) {
        QCPGraph* const graph = m_plot->graph(i);
        if (i >= 2) { // limits
            graph->setPen(QPen(theme.dim, 2, i == 2 ? Qt::DashLine : Qt::DotLine));
            continue;
        }
        const QColor colour = i == 0 ? theme.communication : theme.compute;
        graph->setPen(colour);
        graph->setScatterStyle(QCPScatterStyle(i == 0 ? QCPScatterStyle::ssDisc : QCPScatterStyle::ssCross,
                                               QPen(colour, 2), colour, kPoint));
    }
    m_legend->name(*m_plot);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void BandwidthPlot::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        setColours();
    }
}

} // namespace ringside::gui
