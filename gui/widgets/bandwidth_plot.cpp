// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bandwidth_plot.h"

#include "app/theme.h"

#include <QEvent>
#include <QVBoxLayout>
#include <qcustomplot.h>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

/// Sizes are powers of two, so ticks are: 1 KiB, 32 KiB, 1 MiB ...
class SizeTicker final : public QCPAxisTickerLog {
protected:
    QString getTickLabel(double tick, const QLocale& /*locale*/, QChar /*format*/, int /*precision*/) override
    {
        constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
        constexpr double kStep = 1024;
        std::size_t unit = 0;
        while (tick >= kStep && unit + 1 < std::size(kUnits)) {
            tick /= kStep;
            ++unit;
        }
        return u"%1 %2"_s.arg(tick, 0, 'g', 4).arg(QString::fromLatin1(kUnits[unit]));
    }
};

} // namespace

BandwidthPlot::BandwidthPlot(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot(this))
{
    setAccessibleName(u"Bus bandwidth over message size"_s);
    setAccessibleDescription(u"The table below holds the same values."_s);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(m_plot);
    setMinimumSize(260, 160);
    m_plot->xAxis->setScaleType(QCPAxis::stLogarithmic);
    const QSharedPointer<SizeTicker> ticker(new SizeTicker);
    constexpr double kBase = 4;
    ticker->setLogBase(kBase);
    m_plot->xAxis->setTicker(ticker);
    m_plot->xAxis->setLabel(u"message size"_s);
    m_plot->yAxis->setLabel(u"bus bandwidth, GB/s"_s);
    m_plot->legend->setVisible(true);
    m_plot->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignLeft);
}

void BandwidthPlot::setReport(std::shared_ptr<const report::Report> report)
{
    m_report = std::move(report);
    m_plot->clearPlottables();
    m_points = 0;
    addPoints(u"transfer, from the last arrival"_s, true);
    addPoints(u"whole kernels, with waiting"_s, false);
    m_plot->rescaleAxes();
    constexpr double kRoom = 4; // times
    m_plot->xAxis->setRange(m_plot->xAxis->range().lower / kRoom, m_plot->xAxis->range().upper * kRoom);
    m_plot->yAxis->setRange(0, std::max(1e-3, m_plot->yAxis->range().upper * 1.3));
    setColours();
}

void BandwidthPlot::addPoints(const QString& name, bool transfer)
{
    QCPGraph* const graph = m_plot->addGraph();
    graph->setName(name);
    graph->setLineStyle(QCPGraph::lsNone);
    for (const metrics::CollectiveGroup& group : m_report->metrics.collectives) {
        const auto& bandwidth = transfer ? group.transferBusGBs : group.kernelBusGBs;
        if (group.bytes && *group.bytes > 0 && bandwidth) {
            graph->addData(static_cast<double>(*group.bytes), *bandwidth);
            ++m_points;
        }
    }
}

void BandwidthPlot::setColours()
{
    const Theme& theme = themeOf(palette());
    m_plot->setBackground(theme.base);
    for (QCPAxis* const axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->setBasePen(theme.dim);
        axis->setTickPen(theme.dim);
        axis->setSubTickPen(Qt::NoPen);
        axis->setLabelColor(theme.text);
        axis->setTickLabelColor(theme.text);
        axis->grid()->setPen(QPen(theme.line, 1));
    }
    m_plot->legend->setBrush(theme.base);
    m_plot->legend->setBorderPen(theme.line);
    m_plot->legend->setTextColor(theme.text);
    constexpr double kPoint = 9;
    for (int i = 0; i < m_plot->graphCount(); ++i) { // shapes differ, not only colours
        const QColor colour = i == 0 ? theme.communication : theme.compute;
        m_plot->graph(i)->setPen(colour);
        m_plot->graph(i)->setScatterStyle(QCPScatterStyle(
            i == 0 ? QCPScatterStyle::ssDisc : QCPScatterStyle::ssCross, QPen(colour, 2), colour, kPoint));
    }
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
