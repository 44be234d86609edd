// SPDX-License-Identifier: Apache-2.0
#include "record/ranks.h"

#include "values/parse_number.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

namespace ringside::collector {
namespace {

struct Launcher {
    const char* rank;
    const char* localRank;
    const char* worldSize;
};
// Tried in this order: torchrun sets RANK also when another launcher started it.
constexpr std::array kLaunchers{
    Launcher{"RANK", "LOCAL_RANK", "WORLD_SIZE"},
    Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"},
    Launcher{"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE"},
    Launcher{"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS"},
};
std::optional<std::int64_t> number(const char* name)
{
    const char* text = std::getenv(name);
    return values::parseNumber<std::int64_t>(text != nullptr ? text : "");
}

static_assert(std::atomic<ProgramRank>::is_always_lock_free);
std::atomic<ProgramRank> g_programRank{};

trace::RankRow rowOf(const CommunicatorIdentity& identity)
{
    trace::RankRow row;
    row.rank = identity.rank;
    row.worldSize = identity.size;
    row.source = "communicator";
    if (identity.device >= 0) {
        row.device = identity.device;
    }
    return row;
}

/// The members of this process in the communicator of `one`.
std::vector<CommunicatorIdentity> membersBeside(const CommunicatorIdentity& one,
                                                const std::vector<CommunicatorIdentity>& worlds)
{
    std::vector<CommunicatorIdentity> members;
    std::ranges::copy_if(worlds, std::back_inserter(members),
                         [&](const CommunicatorIdentity& other) { return other.hash == one.hash; });
    return members;
}

} // namespace

void setProgramRank(ProgramRank rank)
{
    if (rank.rank >= 0 && rank.rank < rank.worldSize) {
        g_programRank.store(rank);
    }
}

std::optional<ProgramRank> programRank()
{
    const ProgramRank rank = g_programRank.load();
    return rank.rank >= 0 ? std::optional(rank) : std::nullopt;
}

std::optional<trace::RankRow> rankFromEnvironment()
{
    for (const Launcher& launcher : kLaunchers) {
        if (const auto rank = number(launcher.rank); rank.has_value()) {
            trace::RankRow row;
            row.rank = *rank;
            row.localRank = number(launcher.localRank);
            row.worldSize = number(launcher.worldSize);
            row.attempt = number("TORCHELASTIC_RESTART_COUNT").value_or(0);
            row.source = launcher.rank;
            return row;
        }
    }
    return std::nullopt;
}

std::optional<trace::RankRow> launchedRank()
{
    std::optional<trace::RankRow> row = rankFromEnvironment();
    if (const auto said = programRank(); said.has_value()) {
        row = row.value_or(trace::RankRow{});
        row->rank = said->rank;
        row->worldSize = said->worldSize;
        row->source = "api";
    }
    return row;
}

std::vector<trace::RankRow> ranksOf(const std::vector<CommunicatorIdentity>& worlds,
                                    const std::optional<trace::RankRow>& launched)
{
    std::vector<CommunicatorIdentity> largest;
    for (const CommunicatorIdentity& one : worlds) {
        std::vector<CommunicatorIdentity> members = membersBeside(one, worlds);
        if (members.size() > 1 && (largest.empty() || one.size > largest.front().size)) {
            largest = std::move(members);
        }
    }
    std::vector<trace::RankRow> rows;
    for (const CommunicatorIdentity& member : largest) {
        rows.push_back(rowOf(member));
        rows.back().attempt = launched.has_value() ? launched->attempt : 0;
    }
    if (rows.empty() && !worlds.empty()) {
        rows.push_back(rowOf(worlds.front()));
        if (launched.has_value()) {
            const auto device = rows.front().device;
            rows.front() = *launched;
            rows.front().device = device;
        }
    }
    return rows;
}

} // namespace ringside::collector
