// SPDX-License-Identifier: Apache-2.0
// Which environment variables a trace may contain, whether they were read from the process itself or from the
// log of another tool. Values may be secrets. Variables outside the list are not stored at all.
#pragma once
#include <string>
#include <string_view>

namespace ringside::trace {

/// NCCL_*, TORCH_*, CUDA_*, OMP_*, SLURM_* and the launchers' rank variables.
[[nodiscard]] bool isStoredVariable(std::string_view name);
/// Returns true if NCCL itself should know this name: it begins with NCCL_ and belongs neither to PyTorch nor
/// to a plugin.
[[nodiscard]] bool belongsToNccl(std::string_view name);
/// Returns the value, or "(redacted)" if the value or the name looks like a secret.
[[nodiscard]] std::string redacted(std::string_view name, std::string_view value);

} // namespace ringside::trace
