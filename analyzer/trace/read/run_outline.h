// SPDX-License-Identifier: Apache-2.0
// How long a run is, without its rows: the marked steps of each process and how many rows there are. Reading
// it takes a few milliseconds a file, whatever the run holds.
#pragma once
#include "trace/read/process_outline.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace ringside::trace {

/// Returns the outline of every process of a run, in the order in which openRun returns them. Files that
/// cannot be opened are left out by both.
[[nodiscard]] std::vector<ProcessOutline> outlineOf(const std::filesystem::path& run);

/// Returns the size of all trace files of a run.
[[nodiscard]] std::uintmax_t fileBytesOf(const std::filesystem::path& run);

} // namespace ringside::trace
