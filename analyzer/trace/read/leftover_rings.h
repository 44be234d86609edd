// SPDX-License-Identifier: Apache-2.0
// What recovery takes from beside the run directory.
#pragma once
#include <ringside/trace/recover.h>

namespace ringside::trace {

/// Moves the database of a dead process into the run directory, in place of a dump made while it ran (which
/// holds no more). Throws Error or std::filesystem::filesystem_error; then it is where it was.
void bringDatabase(const LeftoverRings& leftover, const std::filesystem::path& runDirectory);

/// Removes from `directory` what a dead process was killed while making: rings without a record.
void removeUnfinishedRings(const std::filesystem::path& directory, const std::string& process);

} // namespace ringside::trace
