// SPDX-License-Identifier: Apache-2.0
// Faults that NVIDIA's driver reports of a GPU, for who records them and who judges them.
#pragma once
#include <cstdint>

namespace ringside::trace {

/// What must restart before the GPU is of use again, from the least to the most.
enum class XidRestart : std::uint8_t { Nothing, Untold, Job, GpuLater, Gpu, Host };
/// How likely it is that hardware is at fault. None: it is no fault.
enum class XidHardware : std::uint8_t { None, Unlikely, Possible, Likely };

struct XidEntry {
    std::int64_t number = 0;
    const char* meaning = "";
    XidRestart restart = XidRestart::Untold;
    XidHardware hardware = XidHardware::Possible;
};

/// Returns what NVIDIA's catalogue says of it; null if it does not list the number.
[[nodiscard]] const XidEntry* findXid(std::int64_t number);

/// Whether the GPU is lost to all programs until it, or its host, restarts.
[[nodiscard]] bool isFatalXid(std::int64_t number);

} // namespace ringside::trace
