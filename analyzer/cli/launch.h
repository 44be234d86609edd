// SPDX-License-Identifier: Apache-2.0
// Which launch this command belongs to, by what launchers put into the environment. Ranks of one launch, on
// all its hosts and at any time, record into one run directory.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ringside::cli {

inline constexpr const char* kLaunchVariable = "RINGSIDE_LAUNCH";
/// Where launchers say a process's rank. In the order of the collector: torchrun sets RANK also under the
/// others.
inline constexpr std::array kRankVariables{"RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                           "PMI_RANK", "FLUX_TASK_RANK",       "SLURM_PROCID"};

struct Launch {
    /// NAME=VALUE, each the same in all processes of a launch and in those of no other.
    std::vector<std::string> ids;
    /// NAME=VALUE; empty: not known.
    std::string rank;
    /// What else ranks of a launch have in common, and other launches may have, too.
    std::string world;
    /// Counts restarts of the same rank, where the launcher tells.
    std::int64_t attempt = 0;
    /// Whether it is started again under the same ids also where the launcher does not count it.
    bool restarts = false;
};

[[nodiscard]] Launch launchOfEnvironment();

[[nodiscard]] std::string nameOfHost();

/// A part of a file's name: of the id, else of the launcher's process.
[[nodiscard]] std::string nameOf(const Launch& launch);

} // namespace ringside::cli
