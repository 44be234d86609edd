// SPDX-License-Identifier: Apache-2.0
// Text files that a user names: thresholds, facts, counters. They may also be pipes from another program
// (<(command)).
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace ringside::cli {

/// Returns the whole text. Waits for a program that is writing to the pipe, but not for one that has not
/// opened it yet. Throws Error (Io) with the reason, also for a directory and for more than 64 MiB.
[[nodiscard]] std::string readText(const std::filesystem::path& path);

/// Returns when the file was written last, in ns since 1970. Throws Error (Io).
[[nodiscard]] std::int64_t modifiedNsOf(const std::filesystem::path& path);

} // namespace ringside::cli
