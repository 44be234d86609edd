// SPDX-License-Identifier: Apache-2.0
// Lateness that a rank took over: its collective began directly behind one on the same stream that had ended
// later for it than for others. In a ring, what a slow rank sends last reaches its neighbour late, so that
// the neighbour would come late to the next collective, too.
#pragma once
#include "model/model.h"

#include <vector>

namespace ringside::metrics {

/// In ns, by Model::operations and their participants: so much later than for the first of its ranks the
/// operation before had ended. Empty of operations in which nobody began directly behind another one, and of
/// those that were not measured on all ranks.
[[nodiscard]] std::vector<std::vector<std::int64_t>> carriedLateness(const model::Model& model);

} // namespace ringside::metrics
