// SPDX-License-Identifier: Apache-2.0
// The charts of the HTML report, as SVG. They look as those of the desktop program: the same parts in the
// same colours, which people with colour blindness can tell apart. The page's style defines the colours.
#pragma once
#include "report/report.h"

#include <string>

namespace ringside::report {

/// Returns a bar for each rank, divided into the parts of its step. Waiting is hatched. More than 64 ranks
/// share 64 bars.
[[nodiscard]] std::string breakdownSvg(const Report& report);
/// Returns a map of ranks and steps: how late each rank was at the collectives, or, if arrivals were not
/// measured, how long its steps took. Of more steps or ranks than fit, a cell shows the largest value. Empty
/// with fewer than two steps.
[[nodiscard]] std::string heatSvg(const Report& report);
[[nodiscard]] std::string heatTitle(const Report& report);
/// Returns what a row of both charts stands for if ranks share rows. Empty if each rank has its own.
[[nodiscard]] std::string sharedRowsText(const Report& report);

} // namespace ringside::report
