// SPDX-License-Identifier: Apache-2.0
// Runs that are being recorded now, as far as this machine knows.
#pragma once
#include <filesystem>
#include <vector>

namespace ringside::cli {

/// Run directories with a snapshot: those of the working directory, and those into which processes of this
/// machine record whose environment this user may read. Each once, sorted; those of the working directory by
/// their name alone.
[[nodiscard]] std::vector<std::filesystem::path> findRunningRuns();

} // namespace ringside::cli
