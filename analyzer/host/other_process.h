// SPDX-License-Identifier: Apache-2.0
// Other processes as /proc shows them: their files, their environment, and who started whom.
#pragma once
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::host {

/// Returns /proc/PID/NAME; empty where it cannot be read.
[[nodiscard]] std::string procFile(pid_t pid, std::string_view name);

/// Finds a variable among NAME=VALUE words that end with a zero byte. Returns null if it is not there.
[[nodiscard]] std::optional<std::string> valueIn(const std::string& environment, std::string_view name);

/// Variables in which launchers store a process's rank, in the same order as in the collector: torchrun also
/// sets RANK under other launchers.
inline constexpr std::array kRankVariables{"RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                           "PMI_RANK", "FLUX_TASK_RANK",       "SLURM_PROCID"};
/// Returns the rank that a launcher gave a process; null if there is none in its environment.
[[nodiscard]] std::optional<std::int64_t> rankIn(const std::string& environment);

/// Returns the processes of this machine, or of this container.
[[nodiscard]] std::vector<pid_t> allProcesses();

/// Returns `roots`, their children, the children of these and so on. Leaves out roots that do not exist, and
/// processes whose parent has ended: they belong to another one now.
[[nodiscard]] std::vector<pid_t> withDescendants(const std::vector<pid_t>& roots);

} // namespace ringside::host
