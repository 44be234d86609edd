// SPDX-License-Identifier: Apache-2.0
// Runs a command with the same terminal and environment. Signals are forwarded, and the exit code is the one
// that a shell would give.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace ringside::cli {

struct CommandEnd {
    int exitCode = 0; ///< as a shell gives it: 128 + signal if a signal killed it
    int signal = 0;   ///< the signal that killed it; 0: none
};

/// Returns how the command ended: 127 if it was not found and 126 if it could not be started. `meanwhile` is
/// called several times a second until the command ends; it must not throw and must not wait for the command.
/// Throws ringside::Error if no process can be created.
[[nodiscard]] CommandEnd runCommand(const std::vector<std::string>& command,
                                    const std::function<void()>& meanwhile);

/// Ends this process by the signal that killed the command, so that a shell ends its loop after Ctrl-C.
/// Leaves no core file. Returns if the signal cannot kill this process (process 1 of a container).
void endBySignal(int signal);

} // namespace ringside::cli
