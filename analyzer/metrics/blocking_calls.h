// SPDX-License-Identifier: Apache-2.0
// Calls in which the host waits for the GPU, and what they keep from happening meanwhile.
#pragma once
#include "metrics/sweep.h"
#include "model/model.h"

#include <string>
#include <vector>

namespace ringside::metrics {

/// Calls that block the host until the device catches up, within the analyzed steps.
struct BlockingCalls {
    std::int64_t count = 0;
    std::int64_t ns = 0;
    std::string commonest; ///< function
    Interval longest;      ///< on the rank's clock
    /// Exposed communication during those calls after which the same step still issues collectives: what the
    /// host would have launched meanwhile could have hidden it.
    std::int64_t overlapLostNs = 0;
    Interval overlapLost; ///< the call in which most was lost
};

/// Of the threads that work for the rank, in the analyzed `steps` (ascending).
[[nodiscard]] BlockingCalls findBlockingCalls(const model::Model& model, const model::Rank& rank,
                                              const Lanes& lanes,
                                              const std::vector<const model::Step*>& steps);

} // namespace ringside::metrics
