// SPDX-License-Identifier: Apache-2.0
// Runs a command as if we were not there: same terminal, same environment, signals passed on, exit code as a
// shell gives it.
#pragma once
#include <string>
#include <vector>

namespace ringside::cli {

/// Returns the command's exit code, 128 + signal if one killed it, 127 if it was not found and 126 if it
/// could not be started. Throws ringside::Error when no process could be made.
[[nodiscard]] int runCommand(const std::vector<std::string>& command);

} // namespace ringside::cli
