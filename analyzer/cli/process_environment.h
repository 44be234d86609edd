// SPDX-License-Identifier: Apache-2.0
// Files of another process in /proc, and variables of its environment.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::cli {

/// /proc/PID/NAME; empty where it cannot be read.
[[nodiscard]] std::string procFile(pid_t pid, std::string_view name);
/// Finds a variable among NAME=VALUE words that end with a zero byte. Returns null if it is not there.
[[nodiscard]] std::optional<std::string> valueIn(const std::string& environment, std::string_view name);
/// Of this machine, or of this container.
[[nodiscard]] std::vector<pid_t> allProcesses();

} // namespace ringside::cli
