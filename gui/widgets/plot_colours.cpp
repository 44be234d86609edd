// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot_colours.h"

#include "base/theme.h"

#include <qcustomplot.h>

namespace ringside::gui {

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
    plot.legend->setBrush(theme.base);
    plot.legend->setBorderPen(theme.line);
    plot.legend->setTextColor(theme.text);
}

} // namespace ringside::gui
