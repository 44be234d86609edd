// SPDX-License-Identifier: Apache-2.0
// Finds the ranks of the session's processes, as far as the export contains them.
#pragma once
#include "import/nsys/recording.h"

#include <ringside/trace/reader.h>

#include <optional>
#include <vector>

namespace ringside::importers::nsys {

/// What is known of the rank of one device of a process.
struct RankClue {
    std::int64_t device = 0;
    std::optional<std::int64_t> rank, worldSize; ///< in the largest communicator created on the device
};
struct RankClues {
    std::optional<std::int64_t> mpiRank;
    std::vector<RankClue> devices;
};

/// Collects what is known of the ranks of the devices that NCCL uses.
[[nodiscard]] RankClues cluesOf(const ProcessRows& process);

/// Fills table rank. If the creation of communicators gives each device of each process a rank of its own,
/// those are used; a process may then have several. Otherwise a process with at most one device gets its MPI
/// rank, or if it is the only process the rank in the launcher's variables. Other processes stay without
/// rank; the caller may find it in the file's name.
void findRanks(std::vector<trace::ProcessTrace>& processes, const std::vector<RankClues>& clues,
               const Metadata& metadata);

} // namespace ringside::importers::nsys
