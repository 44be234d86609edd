// SPDX-License-Identifier: Apache-2.0
// Which variables of an environment a trace may hold, whoever tells of them: the process itself, or the log
// of another tool. Values may be secrets; names outside the list are not stored at all.
#pragma once
#include <string>
#include <string_view>

namespace ringside::trace {

/// NCCL_*, TORCH_*, CUDA_*, OMP_*, SLURM_* and the launchers' rank variables.
[[nodiscard]] bool isStoredVariable(std::string_view name);
/// Whether NCCL itself should know this name: begins with NCCL_ and is neither PyTorch's nor a plugin's.
[[nodiscard]] bool belongsToNccl(std::string_view name);
/// The value, or "(redacted)" where it, or the name, looks like a secret.
[[nodiscard]] std::string redacted(std::string_view name, std::string_view value);

} // namespace ringside::trace
