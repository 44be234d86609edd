// SPDX-License-Identifier: Apache-2.0
// Finds calls of two communicators that ranks issued in different orders, so that each GPU runs a call that
// another GPU has not reached.
#pragma once
#include "hang/find_stuck.h"

namespace ringside::hang {

/// A communicator whose last call some ranks issued before the last one of `last`, and others after it.
struct OtherOrder {
    StuckCollective call;
    std::vector<std::int64_t> before; ///< ranks that issued it before
    std::vector<std::int64_t> behind; ///< ranks that issued it after
};
/// Looks for such a communicator among `groups`. Returns null if there is none.
[[nodiscard]] std::optional<OtherOrder> otherOrderThan(const StuckCollective& last, const model::Model& model,
                                                       const std::vector<Group>& groups,
                                                       const std::vector<RankTimes>& times);

} // namespace ringside::hang
