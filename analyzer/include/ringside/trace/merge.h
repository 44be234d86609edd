// SPDX-License-Identifier: Apache-2.0
// One file of a run. It has the tables of a process file, with a process_id of its own for every process.
#pragma once
#include <filesystem>
#include <vector>

namespace ringside::trace {

/// Copies all processes of `run` (a run directory, or a file) into the new file `output`. Column chunks are
/// copied as they are. Returns the number of processes. Throws Error: Usage when `output` exists, Unusable or
/// Newer for a file that cannot be read; `output` does not exist then.
int merge(const std::filesystem::path& run, const std::filesystem::path& output);
/// The same of these files, in their order.
int merge(const std::vector<std::filesystem::path>& files, const std::filesystem::path& output);

} // namespace ringside::trace
