// SPDX-License-Identifier: Apache-2.0
// Series for the comparison of two runs: a value per step for each metric, and the time of each kernel and
// collective.
#pragma once
#include "report/report.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ringside::compare {

/// A figure of a step, from its breakdown. NaN: this step has none.
using StepFigure = std::function<double(const metrics::Breakdown&)>;

/// Returns the mean over the ranks for each analyzed step. Empty without device data.
[[nodiscard]] std::vector<double> stepSeries(const report::Report& report, const StepFigure& figure);

struct Load {
    double ns = 0;              ///< device time
    double count = 0;           ///< number of kernels, or of calls
    std::vector<double> stepNs; ///< device time of each analyzed step, mean over ranks
};
/// Returns loads by kernel name, per step and rank. Only the analyzed steps count.
[[nodiscard]] std::map<std::string, Load> kernelLoads(const report::Report& report);
/// Returns loads by "AllReduce of 25.0 MiB on 8 ranks": kernel time (first arrival to end) and calls per
/// step.
[[nodiscard]] std::map<std::string, Load> collectiveLoads(const report::Report& report);

} // namespace ringside::compare
