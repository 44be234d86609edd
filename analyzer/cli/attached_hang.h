// SPDX-License-Identifier: Apache-2.0
// `ringside hang --pid PID`: where the processes of a job stand that was not started under Ringside.
#pragma once
#include "attach/gpu.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace ringside::cli {

/// Samples the stacks of a job's processes on this host several times and prints where they stand. The job
/// only stops while the registers and stacks of a thread are copied. `format` is text, json or html. Returns
/// true if most of them stand still. Throws Error if no process of these ids exists.
bool printWhereProcessesStand(const std::vector<pid_t>& roots, const std::string& format);

/// Asks NVML in a process of its own, which ends after some seconds: a stuck driver answers no call.
[[nodiscard]] attach::Gpus askForGpus();

} // namespace ringside::cli
