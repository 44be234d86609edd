// SPDX-License-Identifier: Apache-2.0
// Runs code of third parties (drivers' libraries) in a child process, because it may crash or hang.
#pragma once
#include <functional>
#include <string>

namespace ringside::doctor {

/// Returns what `report` writes to the descriptor that it gets. `report` runs in a forked child, which is
/// killed after some seconds. Returns what was written before a crash or a timeout; empty: nothing was
/// written, or the child could not be started.
[[nodiscard]] std::string outputOfChild(const std::function<void(int out)>& report);

} // namespace ringside::doctor
