// SPDX-License-Identifier: Apache-2.0
// Whether the job of a run directory still runs.
#pragma once
#include <filesystem>

namespace ringside::live {

/// Returns whether a process of this machine still records into the directory, or a host's snapshot of it is
/// recent. A snapshot that is old was left by a `record` that was killed. False for anything else than a run
/// directory that can be read.
[[nodiscard]] bool stillRuns(const std::filesystem::path& runDirectory);

} // namespace ringside::live
