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

/// By which id this program can reach a process that calls itself `pid` and began at `startTicks`
/// (/proc/PID/stat field 22): another one where the process is in a pid namespace below ours, as in a
/// container. Null: it has ended. From inside a container, processes outside of it look so, too.
[[nodiscard]] std::optional<std::uint32_t> pidHere(std::uint32_t pid, std::uint64_t startTicks);

/// The same of the process that owns a ring file; null also when the file is none.
[[nodiscard]] std::optional<std::uint32_t> ringOwnerPid(const std::filesystem::path& ring);

/// Of a process by the id that pidHere() gave.
[[nodiscard]] ProcessState stateOf(std::uint32_t pidHere);

} // namespace ringside::trace
