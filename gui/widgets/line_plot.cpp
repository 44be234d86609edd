// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/line_plot.h"

#include "base/theme.h"
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

constexpr double kSecond = 1e9;
constexpr int kMostNamed = 12; ///< lines in the legend or a tool tip: more would push the chart away

} // namespace

LinePlot::LinePlot(const QString& name, QWidget* parent)
    : QWidget(parent), m_legend(new ChartLegend(this)), m_plot(new QCustomPlot(this))
{
    setAccessibleName(name);
    setAccessibleDescription(
        u"The table below holds the figures. W S A D zoom and move, F shows everything."_s);
    setFocusPolicy(Qt::StrongFocus);
    constexpr int kLeast = 110;
    m_plot->setMinimumSize(240, kLeast);
    addPictureMenu(*this);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(m_legend);
    all->addWidget(m_plot, 1);
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->setAttribute(Qt::WA_TransparentForMouseEvents, false);
    m_plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    m_plot->axisRect()->setRangeDrag(Qt::Horizontal);
    m_plot->axisRect()->setRangeZoom(Qt::Horizontal);
    m_plot->xAxis->setLabel(u"run time, s"_s);
    constexpr int kLabels = 3; // approximate number: at the least height more would overlap
    m_plot->yAxis->ticker()->setTickCount(kLabels);
    constexpr int kAxisRoom = 70; // pixels: the axes of plots above each other begin at the same place
    m_plot->axisRect()->setAutoMargins(QCP::msRight | QCP::msTop | QCP::msBottom);
    m_plot->axisRect()->setMargins({kAxisRoom, 0, 0, 0});
    m_legend->setContentsMargins(kAxisRoom, 2, 0, 0);
    connect(m_plot->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
            [this](const QCPRange& range) { emit timesChanged(range.lower, range.upper); });
}

void LinePlot::setLines(const QString& quantity, const std::vector<Line>& lines)
{
    m_quantity = quantity;
    m_plot->clearGraphs();
    m_plot->yAxis->setLabel(quantity);
    for (const Line& line : lines) {
        QCPGraph* const graph = m_plot->addGraph();
        graph->setName(line.name);
        QVector<QCPGraphData> dots;
        dots.reserve(static_cast<qsizetype>(line.points.size()));
        for (const metrics::LinePoint& point : line.points) { // NaN draws a gap
            dots.append({static_cast<double>(point.timeNs) / kSecond, point.value.value_or(qQNaN())});
        }
        graph->data()->set(dots, true);
    }
    m_legend->setVisible(lines.size() > 1);
    setColours();
    showAll();
}

void LinePlot::showAll()
{
    constexpr double kRoom = 1.15;
    m_plot->rescaleAxes();
    double least = 0; // axes begin at 0, so that heights can be compared
    double most = 0;
    for (int i = 0; i < m_plot->graphCount(); ++i) {
        bool found = false;
        const QCPRange values = m_plot->graph(i)->getValueRange(found);
        least = found ? std::min(least, values.lower) : least;
        most = found ? std::max(most, values.upper) : most;
    }
    m_plot->yAxis->setRange(least, most > least ? least + kRoom * (most - least) : least + 1);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void LinePlot::setTimes(double from, double to)
{
    const QCPRange now = m_plot->xAxis->range();
    if (now.lower != from || now.upper != to) {
        m_plot->xAxis->setRange(from, to);
        m_plot->replot(QCustomPlot::rpQueuedReplot);
    }
}

void LinePlot::setColours()
{
    const Theme& theme = themeOf(palette());
    setPlotColours(*m_plot, theme);
    constexpr std::array kStyles{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    constexpr double kWidth = 1.6;
    for (int i = 0; i < m_plot->graphCount(); ++i) { // colours repeat with another line style
        const auto index = static_cast<std::size_t>(i);
        const QColor& colour = theme.series[index % theme.series.size()];
        m_plot->graph(i)->setPen(QPen(colour, kWidth, kStyles[index / theme.series.size() % kStyles.size()]));
        const bool few = m_plot->graph(i)->dataCount() <= 80; // marks single points, which have no line
        constexpr double kPoint = 4;
        m_plot->graph(i)->setScatterStyle(few ? QCPScatterStyle(QCPScatterStyle::ssDisc, kPoint)
                                              : QCPScatterStyle::ssNone);
    }
    const int lines = m_plot->graphCount();
    if (lines <= kMostNamed) {
        m_legend->name(*m_plot);
    } else {
        m_legend->setText(u"%1 lines: the table and the tool tips name them"_s.arg(lines));
    }
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void LinePlot::keyPressEvent(QKeyEvent* event)
{
    constexpr double kZoom = 1.25;
    constexpr double kMove = 0.15;
    QCPAxis* const axis = m_plot->xAxis;
    const double move = kMove * axis->range().size();
    switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_Plus:
        axis->scaleRange(1 / kZoom);
        break;
    case Qt::Key_S:
    case Qt::Key_Minus:
        axis->scaleRange(kZoom);
        break;
    case Qt::Key_A:
    case Qt::Key_Left:
        axis->moveRange(-move);
        break;
    case Qt::Key_D:
    case Qt::Key_Right:
        axis->moveRange(move);
        break;
    case Qt::Key_F:
        showAll();
        break;
    default:
        QWidget::keyPressEvent(event);
        return;
    }
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void LinePlot::mouseDoubleClickEvent(QMouseEvent* event)
{
    showAll();
    event->accept();
}

void LinePlot::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        setColours();
    }
}

/// Returns the values at a time, of the lines that have one there.
QString LinePlot::textAt(double x) const
{
    QString text = u"<b>at %1 s</b><table>"_s.arg(x, 0, 'f', 3);
    for (int i = 0; i < std::min(kMostNamed, m_plot->graphCount()); ++i) {
        const QCPGraph* const graph = m_plot->graph(i);
        const auto point = graph->data()->findBegin(x); // the last point at or before this time
        const bool known = point != graph->data()->constEnd() && !qIsNaN(point->value);
        text += u"<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2</td></tr>"_s.arg(
            graph->name().toHtmlEscaped(), known ? QString::number(point->value, 'g', 4) : u"not measured"_s);
    }
    return text + u"</table>"_s + m_quantity.toHtmlEscaped();
}

bool LinePlot::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* const help = static_cast<QHelpEvent*>(event);
    const bool inside = m_plot->axisRect()->rect().contains(help->pos()) && m_plot->graphCount() > 0;
    QToolTip::showText(help->globalPos(),
                       inside ? textAt(m_plot->xAxis->pixelToCoord(help->pos().x())) : QString(), this);
    return true;
}

} // namespace ringside::gui
