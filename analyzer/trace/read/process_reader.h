// SPDX-License-Identifier: Apache-2.0
// Reads all processes of one file, a process file or a merged one.
#pragma once
#include "trace/read/watched_run.h"

#include <filesystem>
#include <vector>

namespace ringside::trace {

/// At least one process, in the order of their ids. Throws what TraceFile throws; damage inside becomes
/// issues of the first.
std::vector<ProcessTrace> readFile(const std::filesystem::path& path, unsigned threads,
                                   const ReadWatch& watch = {});

/// What others wrote about the process into files that stand beside `file`, its own: stacks, and when it was
/// gone.
void addFilesBeside(ProcessTrace& process, const std::filesystem::path& file);

} // namespace ringside::trace
