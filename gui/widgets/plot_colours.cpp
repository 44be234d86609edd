// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot_colours.h"

#include "base/theme.h"

#include <qcustomplot.h>

#include <algorithm>

namespace ringside::gui {

namespace {

using namespace Qt::StringLiterals;

QString signOf(const QCPGraph& graph)
{
    if (graph.lineStyle() == QCPGraph::lsNone) {
        return graph.scatterStyle().shape() == QCPScatterStyle::ssCross ? u"\u2715"_s : u"\u25CF"_s;
    }
    switch (graph.pen().style()) {
    case Qt::DashLine:
        return u"\u254D\u254D"_s;
    case Qt::DotLine:
        return u"\u2508\u2508"_s;
    case Qt::DashDotLine:
        return u"\u2501\u2508"_s;
    default:
        return u"\u2501\u2501"_s;
    }
}

} // namespace

ChartLegend::ChartLegend(QWidget* parent) : QLabel(parent)
{
    setWordWrap(true);
    setMargin(2);
}

void ChartLegend::resizeEvent(QResizeEvent* event)
{
    QLabel::resizeEvent(event);
    setMinimumHeight(
        std::max(0, heightForWidth(width()))); // a splitter does not ask for the height of a width
}

void ChartLegend::name(const QCustomPlot& plot)
{
    QStringList entries;
    for (int i = 0; i < plot.graphCount(); ++i) {
        const QCPGraph& graph = *plot.graph(i);
        entries << u"<span style=\"color:%1\">%2</span>&nbsp;%3"_s.arg(
            graph.pen().color().name(), signOf(graph), graph.name().toHtmlEscaped());
    }
    setText(entries.join(u" &nbsp; "_s));
    setMinimumHeight(std::max(0, heightForWidth(width())));
}

void setPlotColours(QCustomPlot& plot, const Theme& theme)
{
    plot.setBackground(theme.base);
    for (QCPAxis* const axis : {plot.xAxis, plot.yAxis}) {
        axis->setBasePen(theme.dim);
        axis->setTickPen(theme.dim);
        axis->setSubTickPen(Qt::NoPen);
        axis->setLabelColor(theme.text);
        axis->setTickLabelColor(theme.text);
        axis->grid()->setPen(QPen(theme.line, 1));
        axis->grid()->setZeroLinePen(QPen(theme.line, 1));
    }
}

} // namespace ringside::gui
