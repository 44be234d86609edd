// SPDX-License-Identifier: Apache-2.0
// The processes of a job that was not started under Ringside, as /proc shows them.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::attach {

struct JobProcess {
    pid_t pid = 0;
    std::optional<std::int64_t> rank; ///< from a launcher's variable; null if there is none
    std::string program;              ///< the program's name and its script: "python3 train.py"
    char state = 0; ///< of /proc/PID/stat: 'R' runs, 'S' sleeps, 'D' waits for a device, 'T' is stopped
};

/// Stopped by SIGSTOP, a terminal or a debugger.
[[nodiscard]] bool isStopped(const JobProcess& process);
/// "running", "sleeping", "waiting for a device", "stopped", "ended"; the letter itself for others.
[[nodiscard]] std::string stateText(const JobProcess& process);

/// Returns whether a process whose /proc/PID/maps this is has loaded CUDA or NCCL. libtorch_cuda holds NCCL
/// where PyTorch is linked with it statically.
[[nodiscard]] bool mapsGpuLibrary(const std::string& maps);

/// Returns the processes that do a job's work, by rank, then by process id: of those that have a rank, one a
/// rank, which is the topmost that has loaded CUDA or NCCL, or the topmost if none has; without ranks, the
/// topmost ones that have loaded CUDA or NCCL; without these, the roots. So launchers, shells and the workers
/// of a data loader are left out. `roots`: process ids that a user named.
[[nodiscard]] std::vector<JobProcess> processesOfJob(const std::vector<pid_t>& roots);

/// Returns what is to be seen of one process; null if it has ended.
[[nodiscard]] std::optional<JobProcess> readProcess(pid_t pid);

} // namespace ringside::attach
