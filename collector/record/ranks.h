// SPDX-License-Identifier: Apache-2.0
// Which ranks of the job a process holds. Usually the one that the launcher gave. A process with several
// members of a communicator, each on its own device, holds as many ranks, whatever number the launcher
// gave it.
#pragma once
#include "record/registry.h"

#include <ringside/trace/rows.h>

#include <optional>
#include <vector>

namespace ringside::collector {

/// The rank that the program set (ringside_set_rank).
struct ProgramRank {
    std::int32_t rank = -1;
    std::int32_t worldSize = 0;
    bool operator==(const ProgramRank&) const = default;
};
/// Any thread may call it. The last call counts. A number outside the world is ignored.
void setProgramRank(ProgramRank rank);
[[nodiscard]] std::optional<ProgramRank> programRank();

/// The rank in the launcher's variables. Null: there are none.
std::optional<trace::RankRow> rankFromEnvironment();
/// The rank of this process as the program set it, else as its environment says.
[[nodiscard]] std::optional<trace::RankRow> launchedRank();

/// `worlds`: Registry::worldCommunicators(). `launched`: launchedRank(). Empty while nothing is known.
std::vector<trace::RankRow> ranksOf(const std::vector<CommunicatorIdentity>& worlds,
                                    const std::optional<trace::RankRow>& launched);

} // namespace ringside::collector
