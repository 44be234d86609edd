// SPDX-License-Identifier: Apache-2.0
// Whether a process of this host still exists, by its id and start time, because ids are reused.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace ringside::trace {

enum class ProcessState {
    Gone,    ///< has ended, even if its parent has not collected it yet; its id may belong to another process
    Running, ///< runs, or waits
    Stopped, ///< by a signal or a debugger
};

/// Returns the id by which this program can reach a process whose own pid is `pid` and which began at
/// `startTicks` (/proc/PID/stat field 22). The two ids differ if the process is in a pid namespace below this
/// one, as in a container. Returns null if it has ended. Inside a container, processes outside of it also
/// give null.
[[nodiscard]] std::optional<std::uint32_t> pidHere(std::uint32_t pid, std::uint64_t startTicks);

/// The process that created a ring file, according to the file's header; null if the file is no ring.
struct RingOwner {
    std::uint32_t pid = 0; ///< pid as the process sees it
    std::uint64_t startTicks = 0;
};
[[nodiscard]] std::optional<RingOwner> ringOwner(const std::filesystem::path& ring);

/// Returns the id by which this program can reach the owner of a ring file; also null if the file is no ring.
[[nodiscard]] std::optional<std::uint32_t> ringOwnerPid(const std::filesystem::path& ring);

/// Returns the exit status, as of wait(2), of a process that has ended but has not been collected by its
/// parent, by the id from pidHere(). Returns null for any other process, and without permission.
[[nodiscard]] std::optional<int> uncollectedStatus(std::uint32_t pidHere, std::uint64_t startTicks);

/// State of a process, by the id from pidHere().
[[nodiscard]] ProcessState stateOf(std::uint32_t pidHere);

} // namespace ringside::trace
