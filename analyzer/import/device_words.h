// SPDX-License-Identifier: Apache-2.0
// What profilers call copies between memories: CUPTI's numbers for their words.
#pragma once
#include <cstdint>
#include <string_view>

namespace ringside::importers {

/// Returns the CUpti_ActivityMemcpyKind of a name such as "Memcpy HtoD (Pageable -> Device)" (Kineto),
/// "MemcpyH2D" (XLA on CUDA), "CopyHostToDevice" (XLA on AMD) or "MEMORY_COPY_HOST_TO_DEVICE" (rocprofv3).
/// 0 if unknown.
[[nodiscard]] std::uint32_t copyKind(std::string_view name);

/// Returns the CUpti_ActivityMemoryKind of the host's end of a copy that is described so. 0 if unknown.
[[nodiscard]] std::uint32_t hostMemory(std::uint32_t kind, std::string_view text);

} // namespace ringside::importers
