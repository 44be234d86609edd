// SPDX-License-Identifier: Apache-2.0
// How long a run is, without its rows: the marked steps of each process and how many rows there are. Reading
// it takes a few milliseconds a file, whatever the run holds.
#pragma once
#include "trace/read/process_outline.h"

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace ringside::trace {

/// Returns the outline of every process of a run, in the order in which openRun returns them. Files that
/// cannot be opened are left out by both. If `host` is not empty, files without a process of that host are
/// only asked for their hosts.
[[nodiscard]] std::vector<ProcessOutline> outlineOf(const std::filesystem::path& run,
                                                    std::string_view host = {});

/// Returns the size of all trace files of a run.
[[nodiscard]] std::uintmax_t fileBytesOf(const std::filesystem::path& run);

} // namespace ringside::trace
