// SPDX-License-Identifier: GPL-3.0-or-later
// Which figures of a rank's step can be mapped, and their words. The figures are the analyzer's.
#pragma once
#include "report/report.h"
#include "report/table.h"

#include <span>

namespace ringside::gui {

/// By RunMetrics::ranks, by step, in ns or as shares; empty: not measured.
using StepValues = std::vector<std::vector<double>>;

struct StepFigure {
    const char* name; ///< with the unit, where the cells do not show it
    StepValues (*values)(const report::Report&);
    report::Cell (*cellOf)(std::optional<double>);
};
[[nodiscard]] std::span<const StepFigure> stepFigures();
/// The one that shows at a glance what the report found: lateness where a rank is late, else the step time.
[[nodiscard]] std::size_t tellingFigure(const report::Report& report);
/// A row a rank, a column a step; of many steps the first ones, and the last header says how many are left.
[[nodiscard]] report::Table stepTable(const report::Report& report, const StepFigure& figure);

} // namespace ringside::gui
