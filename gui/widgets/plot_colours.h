// SPDX-License-Identifier: GPL-3.0-or-later
// QCustomPlot knows no palettes: axes, grid and legend get their colours here.
#pragma once

class QCustomPlot;

namespace ringside::gui {

struct Theme;
void setPlotColours(QCustomPlot& plot, const Theme& theme);

} // namespace ringside::gui
