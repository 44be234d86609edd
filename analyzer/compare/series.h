// SPDX-License-Identifier: Apache-2.0
// What two runs are compared by: a value a step for each metric, and the time of each kernel and collective.
#pragma once
#include "report/report.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ringside::compare {

/// A step's figure, from its breakdown. NaN: this step has none.
using StepFigure = std::function<double(const metrics::Breakdown&)>;

/// Mean over the ranks, a value an analyzed step. Empty without device data.
[[nodiscard]] std::vector<double> stepSeries(const report::Report& report, const StepFigure& figure);
/// Step times: of the device where it was recorded, else between the host's marks, without the first and
/// last.
[[nodiscard]] std::vector<double> stepTimes(const report::Report& report);

struct Load {
    double ns = 0;    ///< device time
    double count = 0; ///< of kernels, or calls
};
/// By kernel name, a step and rank. Only the analyzed steps count.
[[nodiscard]] std::map<std::string, Load> kernelLoads(const report::Report& report);
/// By "AllReduce of 25.0 MiB on 8 ranks": kernel time (first arrival to end) and calls a step.
[[nodiscard]] std::map<std::string, Load> collectiveLoads(const report::Report& report);

} // namespace ringside::compare
