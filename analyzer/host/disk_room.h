// SPDX-License-Identifier: Apache-2.0
// Room on the disk that a trace lies on. The job may need the same disk, so the trace leaves a part of it
// free.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace ringside::host {

/// In bytes, of a file system.
struct DiskRoom {
    std::uint64_t free = 0;    ///< for this user
    std::uint64_t reserve = 0; ///< what a trace leaves: an eighth of the file system, at most 64 MiB
    /// What a trace may still take.
    [[nodiscard]] std::uint64_t forTrace() const { return free > reserve ? free - reserve : 0; }
    /// An empty trace takes most of a megabyte, and as much again while it is written.
    [[nodiscard]] bool isEnoughToBegin() const { return forTrace() >= kLeastBytes; }
    static constexpr std::uint64_t kLeastBytes = std::uint64_t{2} << 20;
};

/// Null: the file system of `path` cannot be asked.
[[nodiscard]] std::optional<DiskRoom> diskRoom(const std::string& path);

} // namespace ringside::host
