// SPDX-License-Identifier: Apache-2.0
// Tables that `ringside hang --pid` and `ringside top --host` share.
#pragma once
#include "attach/gpu.h"
#include "attach/job_process.h"

#include <string>
#include <vector>

namespace ringside::attach {

/// The GPUs, a line each, and what is wrong with them. One line with the reason if there are none.
[[nodiscard]] std::string gpuText(const Gpus& gpus);

/// Numbers of the GPUs that a process uses, "0, 1"; "-" if NVML names none.
[[nodiscard]] std::string gpusOf(const Gpus& gpus, pid_t pid);

} // namespace ringside::attach
