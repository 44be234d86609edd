// SPDX-License-Identifier: Apache-2.0
// Finds the ranks that delay a job of several process groups. In such a job a rank that arrives late at a
// collective may only have waited for a message or for its tensor-parallel partners. The origin of a delay
// is a rank on the critical path that works there longer than its peers do. The critical path is the longest
// path through computation, collectives and messages of the analyzed steps. It is walked backwards from the
// last end. The predecessor of each operation is what ended last before it began, on the same rank; for a
// collective or message it is on the rank that arrived last. Each moment of the path belongs to one rank, or
// to a transfer to one.
#pragma once
#include "metrics/late_group.h"
#include "metrics/metrics.h"

namespace ringside::metrics {

/// Whether ranks communicate in more than one group, so that lateness passes from group to group.
[[nodiscard]] bool hasSeveralGroups(const model::Model& model);

/// Returns one group for each rank. Its loss in an analyzed step is the time that the rank spent on the
/// critical path beyond the time of its peers.
[[nodiscard]] std::vector<LateGroup> findOrigins(const model::Model& model, const RunMetrics& run);

} // namespace ringside::metrics
