// SPDX-License-Identifier: Apache-2.0
// Deadlocks across communicators: ranks that wait for each other, and calls that ranks issued in different
// orders, so that each GPU runs one that another has not come to.
#pragma once
#include "hang/find_stuck.h"

namespace ringside::hang {

/// Collectives of which each waits for ranks that wait in the next, and the last one's in the first: from the
/// first of `stuck` on. Empty: there is no circle.
[[nodiscard]] std::vector<const StuckCollective*> circleOf(const std::vector<StuckCollective>& stuck);

/// A communicator whose last call some ranks issued before the last one of `last`, and others behind it.
struct OtherOrder {
    StuckCollective call;
    std::vector<std::int64_t> before; ///< ranks that issued it before
    std::vector<std::int64_t> behind;
};
[[nodiscard]] std::optional<OtherOrder> otherOrderThan(const StuckCollective& last, const model::Model& model,
                                                       const std::vector<Group>& groups,
                                                       const std::vector<RankTimes>& times);

} // namespace ringside::hang
