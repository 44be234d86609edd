// SPDX-License-Identifier: Apache-2.0
// --nproc: starts the ranks of one host and ends them together. It makes no CUDA call, because CUDA does not
// survive fork.
#pragma once
#include <string>
#include <vector>

namespace ringside::trainer {

/// Runs `arguments` (arguments[0] is only the displayed name, the program is this one) as `ranks` processes
/// and waits for them. When one fails, the others get two seconds for their own messages, then SIGTERM, then
/// SIGKILL. Returns 0, the code of the rank that failed first, or 128 + its signal. Throws Failure if nothing
/// can be started.
[[nodiscard]] int launchRanks(unsigned ranks, const std::vector<std::string>& arguments);

} // namespace ringside::trainer
