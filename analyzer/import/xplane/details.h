// SPDX-License-Identifier: Apache-2.0
// Parses the texts in which XLA describes launches, copies and threads.
// Source: XLA, xla/backends/profiler/gpu/cupti_collector.cc and rocm_collector.cc
#pragma once
#include "import/kineto/event.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::importers::xplane {

/// The launch of a kernel, in the form of the PyTorch profiler.
struct LaunchDetails {
    std::string grid, block, registers, sharedBytes, occupancyPercent;
    [[nodiscard]] kineto::LaunchTexts texts() const
    {
        return {grid, block, registers, sharedBytes, occupancyPercent};
    }
};
/// Parses "regs:32 static_shared:0 dynamic_shared:0 grid:16,1,1 block:512,1,1 occ_pct:100"; for AMD's GPUs
/// "group_mem:" is the shared memory. An occupancy of 0 means that XLA did not compute it.
[[nodiscard]] LaunchDetails launchDetails(std::string_view text);

/// Returns the bytes in the description of a copy ("size:") or set ("num_bytes:").
[[nodiscard]] std::optional<std::uint64_t> bytesIn(std::string_view text);

/// Returns the name of a line's thread: "python" for "python" and "python/-1472503", nothing for
/// "Host Threads/661".
[[nodiscard]] std::string threadName(std::string_view line);

} // namespace ringside::importers::xplane
