// SPDX-License-Identifier: Apache-2.0
// The program `ringside-mpi`: the commands of `ringside` that several processes can work on together.
#include "cli/command.h"
#include "cli/program.h"
#include "cli/team.h"
#include "mpi/mpi_team.h"

#include <ringside/error.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

namespace {

using ringside::cli::kUnusable;
using ringside::cli::kUsage;

/// Returns nothing, after a message, if the launcher does not fit.
void start(std::optional<ringside::mpi::MpiTeam>& team, int& count, char**& arguments)
{
    try {
        team.emplace(count, arguments);
    } catch (const ringside::Error& error) {
        std::fprintf(stderr, "ringside-mpi: error: %s\n  %s\n", error.what(), error.hint.c_str());
    }
}

/// Process 0 prints for all. mpirun gives it a terminal even if its own output goes to a file, where colours
/// would be in the way.
void prepareStreams(const ringside::mpi::MpiTeam& team)
{
    setenv("NO_COLOR", "1", 0); // NOLINT: no thread has started
    if (team.rank() > 0) {
        static_cast<void>(std::freopen("/dev/null", "w", stdout));
        static_cast<void>(std::freopen("/dev/null", "w", stderr));
    }
}

} // namespace

int main(int count, char** arguments)
{
    std::optional<ringside::mpi::MpiTeam> team;
    start(team, count, arguments);
    if (!team) {
        return kUsage;
    }
    prepareStreams(*team);
    ringside::cli::setTeam(*team);
    const int code = ringside::cli::runProgram("ringside-mpi", count, arguments);
    team->end(code == kUsage || code == kUnusable);
    return code;
}
