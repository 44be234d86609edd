// SPDX-License-Identifier: Apache-2.0
// Computes the metrics of a run.
#pragma once
#include "metrics/metrics.h"

namespace ringside::metrics {

/// Computes all metrics of a run, the ranks in parallel.
[[nodiscard]] RunMetrics computeMetrics(const model::Model& model);

/// Sets what follows from the steps of a rank: the medians.
void computeMedians(RankMetrics& rank);
/// Sets what follows from the steps and totals of the ranks: step time, ratio, shares and spreads.
void summarizeRanks(RunMetrics& run);
/// Sets median times and bandwidths of a group.
void computeBandwidths(CollectiveGroup& group, const GroupTimes& times);

} // namespace ringside::metrics
