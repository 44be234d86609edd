// SPDX-License-Identifier: Apache-2.0
// Finds sends and receives of which one side waits for the other. The k-th send from rank a to rank b belongs
// to the k-th receive of b from a. They are compared only if all calls of both ranks are known, because one
// lost record would shift the count.
#pragma once
#include "hang/hang.h"
#include "hang/issued.h"
#include "hang/rank_times.h"

namespace ringside::hang {

/// Returns receives without a send that have waited long enough, and sends without a receive if their rank
/// waits in a call: NCCL completes small sends without the receiver.
[[nodiscard]] std::vector<StuckCollective> findStuckMessages(const model::Model& model, const Group& group,
                                                             const std::vector<RankTimes>& times,
                                                             std::int64_t stuckAfterNs);

} // namespace ringside::hang
