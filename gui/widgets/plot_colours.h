// SPDX-License-Identifier: GPL-3.0-or-later
// Sets the colours of axes, grid and legend: QCustomPlot does not follow the palette.
#pragma once

class QCustomPlot;

namespace ringside::gui {

struct Theme;
void setPlotColours(QCustomPlot& plot, const Theme& theme);

} // namespace ringside::gui
