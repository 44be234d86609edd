// SPDX-License-Identifier: Apache-2.0
// Finds sends and receives of which one side waits for the other, or of which the sides do not agree.
#pragma once
#include "hang/hang.h"
#include "hang/issued.h"
#include "hang/rank_times.h"

namespace ringside::hang {

/// The k-th send from a rank to another belongs to the k-th receive there from it. They are counted from the
/// beginning if all calls of both ranks are known. Else, where it is known which have completed, they are
/// counted from the first that has not: messages of a pair complete in order, and on both sides. Other pairs
/// are left out, because a lost record would shift the count.
///
/// Returns receives without a send that have waited long enough, sends without a receive if their rank waits
/// in them (NCCL completes small sends without the receiver), and pairs whose sizes differ.
[[nodiscard]] std::vector<StuckCollective> stuckMessages(const model::Model& model, const Group& group,
                                                         const std::vector<RankTimes>& times,
                                                         std::int64_t stuckAfterNs);

/// Whether all sends and receives of the group can be paired.
[[nodiscard]] bool canPairMessages(const Group& group);

} // namespace ringside::hang
