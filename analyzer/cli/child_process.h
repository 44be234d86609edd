// SPDX-License-Identifier: Apache-2.0
// Runs a command as if we were not there: same terminal, same environment, signals passed on, exit code as a
// shell gives it.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace ringside::cli {

/// Returns the command's exit code, 128 + signal if one killed it, 127 if it was not found and 126 if it
/// could not be started. `meanwhile` is called some times a second until the command ends; it must not throw,
/// and not wait for the command. Throws ringside::Error when no process could be made.
[[nodiscard]] int runCommand(const std::vector<std::string>& command, const std::function<void()>& meanwhile);

} // namespace ringside::cli
