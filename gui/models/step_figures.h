// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a rank's step that the heat map can show, with their names. The analyzer computes the
// figures.
#pragma once
#include "document/table.h"
#include "report/report.h"

#include <span>

namespace ringside::gui {

/// Values indexed by RunMetrics::ranks, then by step, in ns or as shares. Empty: not measured.
using StepValues = std::vector<std::vector<double>>;

struct StepFigure {
    const char* name; ///< with the unit if the cells do not show it
    StepValues (*values)(const report::Report&);
    document::Cell (*cellOf)(std::optional<double>);
    bool fromZero = false; ///< 0 is a usual value: colours begin there, else at the least value
};
[[nodiscard]] std::span<const StepFigure> stepFigures();
/// Returns the index of the figure to show first: lateness if the report found a late rank, else the step
/// time.
[[nodiscard]] std::size_t defaultFigure(const report::Report& report);
/// Returns a table with a row for each rank and a column for each step. Of many steps it holds the first
/// ones; the last header gives the number left out.
[[nodiscard]] document::Table stepTable(const report::Report& report, const StepFigure& figure);

} // namespace ringside::gui
