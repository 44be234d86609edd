// SPDX-License-Identifier: Apache-2.0
// Finds lateness that a rank inherited from its previous collective: its collective began directly after
// another one on the same stream that had ended later for this rank than for others. In a ring, the last
// data of a slow rank reaches its neighbour late, so the neighbour would arrive late at the next collective,
// too.
#pragma once
#include "model/model.h"

#include <vector>

namespace ringside::metrics {

/// Returns by how many ns the previous operation had ended later for a participant than for the first of its
/// ranks. Indices: Model::operations, participant. The inner vector is empty if no participant inherited
/// lateness or the operation was not measured on all ranks.
[[nodiscard]] std::vector<std::vector<std::int64_t>> carriedLateness(const model::Model& model);

} // namespace ringside::metrics
