// SPDX-License-Identifier: Apache-2.0
// Finds the critical path, the longest path through computation, collectives and messages of the analyzed
// steps. It is walked backwards from the last end. The predecessor of each operation is what ended last
// before it began, on the same rank; for a collective or message it is on the rank that arrived last. Each
// moment of the path belongs to one rank, or to a transfer to one.
#pragma once
#include "metrics/metrics.h"

#include <vector>

namespace ringside::metrics {

/// The part of one rank's step that lies on the critical path.
struct PathPart {
    std::int64_t computeNs = 0;
    std::int64_t otherNs = 0;    ///< copies, and time without device work
    std::int64_t transferNs = 0; ///< transfer to this rank, after the last arrival
};

/// Returns the parts on the critical path by RunMetrics::ranks and analyzed step. Empty if no rank has device
/// work. A collective whose ranks were not all recorded delays no rank.
[[nodiscard]] std::vector<std::vector<PathPart>> criticalPath(const model::Model& model,
                                                              const std::vector<RankMetrics>& ranks);

} // namespace ringside::metrics
