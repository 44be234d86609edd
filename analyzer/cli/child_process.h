// SPDX-License-Identifier: Apache-2.0
// Runs a command as if we were not there: same terminal, same environment, signals passed on, exit code as a
// shell gives it.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace ringside::cli {

struct CommandEnd {
    int exitCode = 0; ///< as a shell gives it: 128 + signal where one killed it
    int signal = 0;   ///< that killed it; 0: none
};

/// Returns how the command ended; 127 if it was not found and 126 if it
/// could not be started. `meanwhile` is called some times a second until the command ends; it must not throw,
/// and not wait for the command. Throws ringside::Error when no process could be made.
[[nodiscard]] CommandEnd runCommand(const std::vector<std::string>& command,
                                    const std::function<void()>& meanwhile);

/// Ends this process by the signal that killed the command: a shell that is told of Ctrl-C so ends its loop.
/// Leaves no core file. Comes back where the signal cannot kill (process 1 of a container).
void endBySignal(int signal);

} // namespace ringside::cli
