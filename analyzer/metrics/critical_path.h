// SPDX-License-Identifier: Apache-2.0
// The longest path through the computation, collectives and messages of the analyzed steps, walked from the
// last end back: what ended last before each begin held it up, on the same rank, or on the one that came last
// to the meeting. Each moment belongs to one rank, or to data on its way.
#pragma once
#include "metrics/metrics.h"

#include <vector>

namespace ringside::metrics {

/// Of one rank in one step, the part that lies on the path.
struct PathPart {
    std::int64_t computeNs = 0;
    std::int64_t otherNs = 0;    ///< copies, and nothing on the device
    std::int64_t transferNs = 0; ///< on the way to this rank, behind the last arrival
};

/// By RunMetrics::ranks, by analyzed step; empty where no rank has device work. Meetings whose ranks were
/// not all recorded hold nobody up.
[[nodiscard]] std::vector<std::vector<PathPart>> criticalPath(const model::Model& model,
                                                              const std::vector<RankMetrics>& ranks);

} // namespace ringside::metrics
