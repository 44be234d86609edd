// SPDX-License-Identifier: Apache-2.0
// Computes when each rank arrived at each collective, once for all operations, and selects arrivals by rank
// and by step.
#pragma once
#include "metrics/device_work.h"
#include "metrics/metrics.h"

#include <optional>
#include <span>
#include <vector>

namespace ringside::metrics {

/// Finds the arrivals at every operation of the model.
[[nodiscard]] AllArrivals findArrivals(const model::Model& model);

/// Returns the last arrivals at a rank's communication kernels, on the rank's own clock.
[[nodiscard]] LastArrivals lastArrivalsOf(const model::Model& model, std::size_t rank,
                                          const AllArrivals& arrivals);

/// Returns the operations of the analyzed steps. An operation belongs to the step in which its last rank
/// arrived.
[[nodiscard]] std::vector<ArrivedOperation>
arrivedInSteps(const model::Model& model, const AllArrivals& arrivals, std::span<const RankMetrics> ranks);

} // namespace ringside::metrics
