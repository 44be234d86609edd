// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of axes and grid, which do not follow the palette by themselves, and the legend of a chart.
#pragma once
#include <QLabel>

class QCustomPlot;

namespace ringside::gui {

struct Theme;
void setPlotColours(QCustomPlot& plot, const Theme& theme);

/// Names the lines and points of a chart above it: inside, it would cover data. Their signs differ as they do
/// in the chart, not only by colour. It is as high as its texts need.
class ChartLegend final : public QLabel {
public:
    explicit ChartLegend(QWidget* parent);
    void name(const QCustomPlot& plot);

protected:
    void resizeEvent(QResizeEvent* event) override;
};

} // namespace ringside::gui
