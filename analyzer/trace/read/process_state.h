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

/// Who made a ring file, by the words of its header; null when the file is none.
struct RingOwner {
    std::uint32_t pid = 0; ///< as it calls itself
    std::uint64_t startTicks = 0;
};
[[nodiscard]] std::optional<RingOwner> ringOwner(const std::filesystem::path& ring);

/// By which id this program can reach the process that owns a ring file; null also when the file is none.
[[nodiscard]] std::optional<std::uint32_t> ringOwnerPid(const std::filesystem::path& ring);

/// How a process ended that its parent has not collected yet, as wait(2) gives it, by the id that pidHere()
/// gave. Null: it is no such process, or it is not ours to ask.
[[nodiscard]] std::optional<int> uncollectedStatus(std::uint32_t pidHere, std::uint64_t startTicks);

/// Of a process by the id that pidHere() gave.
[[nodiscard]] ProcessState stateOf(std::uint32_t pidHere);

} // namespace ringside::trace
