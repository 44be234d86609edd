// SPDX-License-Identifier: Apache-2.0
// Merges a run into one file. It has the tables of a process file, with a process_id for each process.
#pragma once
#include <filesystem>
#include <vector>

namespace ringside::trace {

/// Copies all processes of `run` (a run directory or a file) into the new file `output`. Column chunks are
/// copied unchanged. Returns the number of processes. Throws Error (Usage) if `output` exists, and Error
/// (Unusable or Newer) if a file cannot be read; `output` does not exist then.
int merge(const std::filesystem::path& run, const std::filesystem::path& output);
/// Does the same with a list of files, in their order.
int merge(const std::vector<std::filesystem::path>& files, const std::filesystem::path& output);

} // namespace ringside::trace
