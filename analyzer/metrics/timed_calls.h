// SPDX-License-Identifier: Apache-2.0
// What CUDA events around NCCL's calls tell of ranks that have no other device times: communication, waiting
// and who came last, by steps of the host. Nothing of compute, copies or idle time, so no breakdown.
#pragma once
#include "model/model.h"

#include <optional>
#include <vector>

namespace ringside::metrics {

/// By index of Model::operations; null where not everybody's arrival is known.
using AllArrivals = std::vector<std::optional<model::Arrivals>>;

/// A collective of the analyzed steps in which everybody's arrival is known.
struct ArrivedOperation {
    std::size_t operation = 0; ///< of Model::operations
    std::size_t step = 0;      ///< of Model::analyzedSteps, or of TimedCalls::steps
    model::Arrivals times;
};

struct TimedRank {
    std::size_t rank = 0;             ///< of Model::ranks
    std::int64_t communicationNs = 0; ///< unions over the counted steps
    std::int64_t waitNs = 0;
    std::int64_t transferNs = 0;
    std::int64_t lastArrivals = 0;
    std::int64_t lostNs = 0; ///< last arrival minus second last, summed over those
};

struct TimedCalls {
    std::vector<TimedRank> ranks;
    std::vector<std::int64_t> steps; ///< numbers, ascending; those with such collectives, but for the edges
    std::vector<ArrivedOperation> arrived;
    std::int64_t stepNs = 0; ///< median of those steps on the host
};

/// A collective belongs to the step in which the last rank's host called it. Empty when a rank has kernels.
[[nodiscard]] TimedCalls measureTimedCalls(const model::Model& model, const AllArrivals& arrivals);

} // namespace ringside::metrics
