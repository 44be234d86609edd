// SPDX-License-Identifier: Apache-2.0
// Finds ranks that wait in a call that makes a communicator. Such a call returns only after all members have
// made it.
#pragma once
#include "hang/hang.h"
#include "hang/rank_times.h"

namespace ringside::hang {

/// Returns the calls that make a communicator and in which ranks wait, each with the ranks that did not come.
/// Whom a new communicator waits for is known if all ranks of the job belong to it.
[[nodiscard]] std::vector<StuckCollective>
stuckSetups(const model::Model& model, const std::vector<RankTimes>& times, std::int64_t stuckAfterNs);

} // namespace ringside::hang
