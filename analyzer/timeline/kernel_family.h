// SPDX-License-Identifier: Apache-2.0
// Families and short names of kernels: what people call them when they look at a timeline. Nothing is
// measured by them. kernel_families.def holds the table.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::timeline {

enum class KernelFamily : std::uint8_t {
    Matmul,
    Attention,
    Normalisation,
    Optimizer,
    Embedding,
    Reduction,
    Elementwise,
    Copying, ///< kernels that only move data on the device
    Other,   ///< no part of the name is known
};
inline constexpr std::size_t kKernelFamilies = 9;

/// The family of a compute kernel, by its name.
[[nodiscard]] KernelFamily familyOf(std::string_view kernel);
[[nodiscard]] std::string_view familyName(KernelFamily family);

/// Returns a demangled name without return type, namespaces, template arguments and parameters:
/// "void at::native::reduce_kernel<512, 1>(int)" gives "reduce_kernel<…>". Other texts stay as they are.
[[nodiscard]] std::string shortName(std::string_view name);
/// Returns the short names for a table. Names that differ stay different: the second one that would look the
/// same gets " (2)".
[[nodiscard]] std::vector<std::string> shortNames(const std::vector<std::string>& names);

} // namespace ringside::timeline
