// SPDX-License-Identifier: Apache-2.0
// Finds collectives in which ranks wait for others, and collectives in which ranks make different calls.
#pragma once
#include "hang/hang.h"
#include "hang/issued.h"
#include "hang/rank_times.h"

namespace ringside::hang {

/// Finds the first call of each communicator that some recorded members did not issue, or issued differently,
/// if it is stuck. A host runs ahead of its GPU: an issued call does not mean that the GPU has reached it. If
/// all ranks ended normally (`ended`), differences between calls do not count because they did no harm, and
/// calls that others did not issue count only for ranks that aborted (RankTimes).
[[nodiscard]] std::vector<StuckCollective> findStuck(const model::Model& model,
                                                     const std::vector<Group>& groups,
                                                     const std::vector<RankTimes>& times, bool ended,
                                                     std::int64_t stuckAfterNs);

/// Returns the last call that all recorded members issued alike, with its times. Returns null if there is
/// none.
[[nodiscard]] std::optional<StuckCollective> lastCommonCall(const model::Model& model, const Group& group,
                                                            const std::vector<RankTimes>& times);

} // namespace ringside::hang
