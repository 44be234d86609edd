// SPDX-License-Identifier: Apache-2.0
// Writes an imported run as a native one.
#pragma once
#include <ringside/trace/reader.h>

#include <filesystem>

namespace ringside::importers {

/// Writes a file for each process into `directory`, which must exist and be empty. The issues of the run are
/// stored in the first file. Throws Error (Io) if a file cannot be written.
void writeRun(const trace::RunTrace& run, const std::filesystem::path& directory);

} // namespace ringside::importers
