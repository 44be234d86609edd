// SPDX-License-Identifier: Apache-2.0
// Finds the calls in which the host waits for the GPU, and the overlap that is lost meanwhile.
#pragma once
#include "metrics/sweep.h"
#include "model/model.h"

#include <string>
#include <vector>

namespace ringside::metrics {

/// Calls in the analyzed steps that block the host until the device has finished its work.
struct BlockingCalls {
    std::int64_t count = 0;
    std::int64_t ns = 0;
    std::string commonest; ///< name of the function that was called most often
    Interval longest;      ///< on the rank's clock
    /// Exposed communication during the calls after which the same step still issues collectives. Work that
    /// the host could have launched instead of waiting could have hidden it.
    std::int64_t overlapLostNs = 0;
    Interval overlapLost; ///< the call that lost most overlap
};

/// Finds the blocking calls of the threads that work for the rank, in the analyzed `steps`, which ascend.
[[nodiscard]] BlockingCalls findBlockingCalls(const model::Model& model, const model::Rank& rank,
                                              const Lanes& lanes,
                                              const std::vector<const model::Step*>& steps);

} // namespace ringside::metrics
