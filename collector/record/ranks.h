// SPDX-License-Identifier: Apache-2.0
// Which ranks of the job a process is. Usually the launcher's one; a process that holds several members of a
// communicator, on a device each, is as many ranks, whatever number the launcher gave the process.
#pragma once
#include "record/registry.h"

#include <ringside/trace/rows.h>

#include <optional>
#include <vector>

namespace ringside::collector {

/// What the program itself says it is (ringside_set_rank).
struct ProgramRank {
    std::int32_t rank = -1;
    std::int32_t worldSize = 0;
    bool operator==(const ProgramRank&) const = default;
};
/// Any thread. The last call counts; what is no rank of its world is ignored.
void setProgramRank(ProgramRank rank);
[[nodiscard]] std::optional<ProgramRank> programRank();

/// The rank that this process was launched as: by the program's word, else by its environment.
[[nodiscard]] std::optional<trace::RankRow> launchedRank();

/// `worlds`: Registry::worldCommunicators(). `launched`: launchedRank(). Empty while nothing is known.
std::vector<trace::RankRow> ranksOf(const std::vector<CommunicatorIdentity>& worlds,
                                    const std::optional<trace::RankRow>& launched);

} // namespace ringside::collector
