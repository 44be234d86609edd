// SPDX-License-Identifier: Apache-2.0
// A text that a user gives by name: thresholds, facts, counters. Also from another program (<(command)).
#pragma once
#include <filesystem>
#include <string>

namespace ringside::cli {

/// All of it. Waits for a program that is writing it, never for one that may come. Throws Error (Io) with the
/// reason, also for a directory and for more than 64 MiB.
[[nodiscard]] std::string readText(const std::filesystem::path& path);

} // namespace ringside::cli
