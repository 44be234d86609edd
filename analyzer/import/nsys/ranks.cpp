// SPDX-License-Identifier: Apache-2.0
#include "import/nsys/ranks.h"

#include <algorithm>
#include <set>

namespace ringside::importers::nsys {
namespace {

/// Fills in the rank in the largest communicator that was created on the device. It stays null if two
/// communicators of that size disagree, because either could be the one of the whole job.
void readCreations(const std::vector<NcclRange>& ranges, RankClue& clue)
{
    bool ambiguous = false;
    for (const NcclRange& range : ranges) {
        const Payload& made = range.payload;
        if (!made.size || !made.rank || *made.rank >= *made.size ||
            made.device.value_or(clue.device) != clue.device) {
            continue;
        }
        if (made.size > clue.worldSize) {
            clue.worldSize = made.size;
            clue.rank = made.rank;
            ambiguous = false;
        } else if (made.size == clue.worldSize) {
            ambiguous |= made.rank != clue.rank;
        }
    }
    if (ambiguous) {
        clue.rank.reset();
        clue.worldSize.reset();
    }
}

trace::RankRow rowOf(std::int64_t rank, const char* source)
{
    trace::RankRow row;
    row.rank = rank;
    row.source = source;
    return row;
}

/// Whether communicators give each device of each process a rank of its own.
bool areRanksKnown(const std::vector<RankClues>& clues)
{
    std::set<std::int64_t> ranks;
    return std::ranges::all_of(clues, [&](const RankClues& process) {
        return !process.devices.empty() && std::ranges::all_of(process.devices, [&](const RankClue& clue) {
            return clue.rank && ranks.insert(*clue.rank).second;
        });
    });
}

} // namespace

RankClues cluesOf(const ProcessRows& process)
{
    std::set<std::int64_t> used;
    for (const trace::CommunicatorRow& row : process.trace.communicators) {
        if (row.device >= 0) {
            used.insert(row.device);
        }
    }
    RankClues clues;
    clues.mpiRank = process.mpiRank;
    for (const std::int64_t device : used) {
        clues.devices.push_back({device, std::nullopt, std::nullopt});
        readCreations(process.nccl, clues.devices.back());
    }
    return clues;
}

void findRanks(std::vector<trace::ProcessTrace>& processes, const std::vector<RankClues>& clues,
               const Metadata& metadata)
{
    const bool known = areRanksKnown(clues);
    for (std::size_t i = 0; i < processes.size(); ++i) {
        std::vector<trace::RankRow>& rows = processes[i].ranks;
        if (known) {
            for (const RankClue& clue : clues[i].devices) {
                rows.push_back(rowOf(*clue.rank, "NCCL communicator"));
                rows.back().worldSize = clue.worldSize;
                rows.back().device = clue.device;
            }
        } else if (clues[i].mpiRank && clues[i].devices.size() < 2) {
            rows.push_back(rowOf(*clues[i].mpiRank, "MPI"));
        } else if (processes.size() == 1 && metadata.launchedRank && clues[i].devices.size() < 2) {
            rows.push_back(rowOf(*metadata.launchedRank, metadata.rankVariable.c_str()));
            rows.back().worldSize = metadata.launchedWorldSize;
        }
        const auto& devices = processes[i].devices;
        if (rows.size() == 1 && devices.size() == 1) {
            rows.front().device = devices.front().ordinal;
        }
    }
}

} // namespace ringside::importers::nsys
