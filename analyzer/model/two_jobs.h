// SPDX-License-Identifier: Apache-2.0
// Two jobs, or several programs of one job, that were recorded into one folder.
#pragma once
#include <ringside/trace/reader.h>

#include <string>
#include <vector>

namespace ringside::model {

/// A process and a rank that it says to be.
struct Claim {
    std::size_t process = 0; ///< index into RunTrace::processes
    trace::RankRow rank;
};

/// Throws ringside::Error (Unusable), with the files of both, if processes of two jobs claim one rank: each
/// takes part in collectives, they have no communicator in common, the attempt is the same, and they run at
/// the same time, or as different commands or with different world sizes. A restarted rank is a later attempt
/// of one job, and a helper that inherited its launcher's variables takes part in nothing: neither is a
/// second job.
void refuseTwoJobs(const trace::RunTrace& run, const std::vector<Claim>& claims);

/// The processes of one program that can be one job. Indices into RunTrace::processes.
struct Program {
    std::string
        name; ///< RINGSIDE_ROLE in its environment, else the script or the executable without its path
    std::vector<std::size_t> processes;
};
/// Returns the programs of a recording, by name. Processes of one name are two programs where refuseTwoJobs
/// would refuse them.
[[nodiscard]] std::vector<Program> programsOf(const trace::RunTrace& run);

} // namespace ringside::model
