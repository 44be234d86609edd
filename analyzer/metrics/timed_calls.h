// SPDX-License-Identifier: Apache-2.0
// Measures communication from CUDA events around NCCL calls, for runs without other device times. They give
// communication time, waiting and last arrivals by host step. They give no compute, copies or idle time, so
// there is no breakdown.
#pragma once
#include "metrics/arrivals.h"

#include <vector>

namespace ringside::metrics {

struct TimedRank {
    std::size_t rank = 0;             ///< index into Model::ranks
    std::int64_t communicationNs = 0; ///< length of the union over the counted steps
    std::int64_t waitNs = 0;
    std::int64_t transferNs = 0;
    std::int64_t lastArrivals = 0;
    std::int64_t lostNs = 0; ///< summed over these collectives
};

struct TimedCalls {
    std::vector<TimedRank> ranks;
    /// Numbers of the steps with such collectives, ascending. Without the first and the last one if at least
    /// six steps have them.
    std::vector<std::int64_t> steps;
    std::vector<ArrivedOperation> arrived;
    std::int64_t stepNs = 0; ///< median of those steps on the host
};

/// Measures all ranks with event times. A collective belongs to the step in which the host of the last rank
/// called it. The result is empty if any rank has device data.
[[nodiscard]] TimedCalls measureTimedCalls(const model::Model& model, const AllArrivals& arrivals);

} // namespace ringside::metrics
