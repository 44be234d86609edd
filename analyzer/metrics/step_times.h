// SPDX-License-Identifier: Apache-2.0
// How long the steps of a run took: the one series behind the median step, its 99th percentile and the step
// that comparisons show.
#pragma once
#include "metrics/metrics.h"

namespace ringside::metrics {

/// Returns the length of each analyzed step in ns, mean over the ranks, ordered by time. Ends where a rank
/// has no more steps. Empty without device data.
[[nodiscard]] std::vector<double> deviceStepTimes(const RunMetrics& run);
/// Returns the same; if no device was recorded, of each host step without the first and the last one. Empty
/// if the whole recording stands for one step: its length is not a step time of the program.
[[nodiscard]] std::vector<double> stepTimes(const model::Model& model, const RunMetrics& run);

} // namespace ringside::metrics
