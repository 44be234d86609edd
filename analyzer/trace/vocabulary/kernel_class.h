// SPDX-License-Identifier: Apache-2.0
// Distinguishes communication kernels from compute kernels by name. The known names are in kernel_names.def.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ringside::trace {

enum class KernelClass : std::uint8_t { Compute, Communication };

/// Classifies a kernel by its name, mangled or demangled. `ownNames` are parts of qualified names, in lower
/// case, that the user declared to be communication.
[[nodiscard]] KernelClass classifyKernel(std::string_view name, std::span<const std::string> ownNames = {});

} // namespace ringside::trace
