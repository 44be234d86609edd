// SPDX-License-Identifier: Apache-2.0
// Which rank a process of the session is, as far as the export says it.
#pragma once
#include "import/nsys/recording.h"

#include <ringside/trace/reader.h>

#include <optional>
#include <vector>

namespace ringside::importers::nsys {

/// One device of a process that a rank may be.
struct RankClue {
    std::int64_t device = 0;
    std::optional<std::int64_t> rank, worldSize; ///< in the largest communicator made on it
};
struct RankClues {
    std::optional<std::int64_t> mpiRank;
    std::vector<RankClue> devices;
};

/// Of the devices that NCCL works on.
[[nodiscard]] RankClues cluesOf(const ProcessRows& process);

/// Fills table rank where MPI, the making of communicators, or (for a single process) the launcher's
/// variables tell, in this order, and where a process has several devices. Others stay without: whoever has
/// the file's name may know more.
void findRanks(std::vector<trace::ProcessTrace>& processes, const std::vector<RankClues>& clues,
               const Metadata& metadata);

} // namespace ringside::importers::nsys
