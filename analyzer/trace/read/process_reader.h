// SPDX-License-Identifier: Apache-2.0
// Reads all processes of one file, which is a process file or a merged one.
#pragma once
#include "trace/read/process_outline.h"
#include "trace/read/read_part.h"
#include "trace/read/watched_run.h"

#include <filesystem>
#include <vector>

namespace ringside::trace {

/// Returns at least one process, sorted by id. Throws the same errors as TraceFile. Damage inside becomes
/// issues of the first process. Of processes that `part` lists, only their times are read.
std::vector<ProcessTrace> readFile(const std::filesystem::path& path, unsigned threads,
                                   const ReadWatch& watch = {}, const ReadPart& part = {});

/// Returns the outline of each process that readFile returns, in the same order. Throws the same errors. If
/// `host` is not empty and no process of the file ran on it, the outlines only say of which hosts they are.
std::vector<ProcessOutline> outlineOfFile(const std::filesystem::path& path, std::string_view host = {});

/// Adds what other programs wrote about the process beside `file`, its database: stacks, and when it ended.
void addFilesBeside(ProcessTrace& process, const std::filesystem::path& file);

} // namespace ringside::trace
