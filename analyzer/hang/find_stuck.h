// SPDX-License-Identifier: Apache-2.0
// In which collectives ranks wait for others, and where they call different ones.
#pragma once
#include "hang/hang.h"
#include "hang/issued.h"

namespace ringside::hang {

/// By index of Model::ranks.
struct RankTimes {
    std::int64_t untilNs = 0; ///< up to when its waiting counts, on its host's clock
    bool openHang = false;    ///< its watchdog noticed one that did not end
    bool inCall = false;      ///< a thread has been in one call for as long as counts as stuck
    bool waits = false;       ///< so, or its watchdog noticed a hang and no thread has called anything since
};

/// The first call of a communicator that not all of its recorded members issued, or that they issued
/// differently, if it is stuck. Hosts run ahead of their GPUs: that a rank issued a call does not say that
/// its GPU came to it. `wentOn`: the run ended well, so differences did no harm.
[[nodiscard]] std::vector<StuckCollective> findStuck(const model::Model& model,
                                                     const std::vector<Group>& groups,
                                                     const std::vector<RankTimes>& times, bool wentOn,
                                                     std::int64_t stuckAfterNs);

/// The last call that all recorded members issued alike, with when they did; null: there is none.
[[nodiscard]] std::optional<StuckCollective> lastCommonCall(const model::Model& model, const Group& group,
                                                            const std::vector<RankTimes>& times);

} // namespace ringside::hang
