// SPDX-License-Identifier: Apache-2.0
// Who holds a job of several process groups up: there, whoever comes late to a collective may only have
// waited for a message, or for its tensor parallel partners. The origin is a rank that lies on the longest
// path (critical_path.h) and works longer there than its peers do on the same.
#pragma once
#include "metrics/lateness.h"

namespace ringside::metrics {

/// Whether ranks meet in more than one group, so that lateness passes from group to group.
[[nodiscard]] bool hasSeveralGroups(const model::Model& model);

/// One group a rank that held the others up: by analyzed step, what it spent on the path beyond what its
/// peers would have. A step's worst is the one of its peers that lost most.
[[nodiscard]] std::vector<LateGroup> findOrigins(const model::Model& model, const RunMetrics& run);

} // namespace ringside::metrics
