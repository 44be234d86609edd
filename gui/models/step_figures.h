// SPDX-License-Identifier: GPL-3.0-or-later
// Which figures of a rank's step can be mapped, and their words. The figures are the analyzer's.
#pragma once
#include "report/table.h"

#include <span>

namespace ringside::gui {

struct StepFigure {
    const char* name; ///< with its unit
    double (*value)(const metrics::Breakdown&);
};
[[nodiscard]] std::span<const StepFigure> stepFigures();
/// A row a rank, a column a step; of many steps the first ones, and the last header says how many are left.
[[nodiscard]] report::Table stepTable(const report::Report& report, const StepFigure& figure);

} // namespace ringside::gui
