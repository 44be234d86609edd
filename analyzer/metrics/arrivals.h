// SPDX-License-Identifier: Apache-2.0
// Who came when to which collective: computed once for all operations, then looked at by rank and by step.
#pragma once
#include "metrics/device_work.h"
#include "metrics/metrics.h"

#include <optional>
#include <span>
#include <vector>

namespace ringside::metrics {

[[nodiscard]] AllArrivals findArrivals(const model::Model& model);

/// The last arrivals at a rank's communication kernels, on its own clock.
[[nodiscard]] LastArrivals lastArrivalsOf(const model::Model& model, std::size_t rank,
                                          const AllArrivals& arrivals);

/// Those of the analyzed steps: an operation belongs to the step in which its last rank came.
[[nodiscard]] std::vector<ArrivedOperation>
arrivedInSteps(const model::Model& model, const AllArrivals& arrivals, std::span<const RankMetrics> ranks);

} // namespace ringside::metrics
