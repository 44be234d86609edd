// SPDX-License-Identifier: Apache-2.0
// Whether a process of this host is still there, by its id and start time (ids are used again).
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace ringside::trace {

enum class ProcessState {
    Gone,    ///< or another one has its id, or only its parent has not collected it yet
    Running, ///< or waiting for something
    Stopped, ///< by a signal or a debugger
};

/// `startTicks`: /proc/PID/stat field 22.
[[nodiscard]] ProcessState processState(std::uint32_t pid, std::uint64_t startTicks);

/// The state of the process that owns a ring file; null when the file is none.
[[nodiscard]] std::optional<ProcessState> ringOwnerState(const std::filesystem::path& ring);

} // namespace ringside::trace
