// SPDX-License-Identifier: Apache-2.0
// Putting the rings of dead processes into the trace, and saying what came of it.
#pragma once
#include <filesystem>

namespace ringside::cli {

/// Recovers what is left of a run and tells it on stderr; silent when nothing was left. An empty `rings`:
/// where the run says they are. Throws ringside::Error when the run directory cannot be read.
void recoverAndTell(const std::filesystem::path& run, const std::filesystem::path& rings = {});

} // namespace ringside::cli
