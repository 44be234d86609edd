// SPDX-License-Identifier: Apache-2.0
// Sends and receives of which one side waits for the other: the k-th send from one rank to another belongs to
// the k-th receive of that one from this one. Said only where all calls of both are known: one lost record
// would shift the count.
#pragma once
#include "hang/find_stuck.h"

namespace ringside::hang {

/// A receive whose send is missing, if it has waited long enough; a send whose receive is, if its rank waits
/// in a call: NCCL lets small ones go without.
[[nodiscard]] std::vector<StuckCollective> findStuckMessages(const model::Model& model, const Group& group,
                                                             const std::vector<RankTimes>& times,
                                                             std::int64_t stuckAfterNs);

} // namespace ringside::hang
