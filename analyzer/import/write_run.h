// SPDX-License-Identifier: Apache-2.0
// Keeps an imported run as a native one.
#pragma once
#include <ringside/trace/reader.h>

#include <filesystem>

namespace ringside::importers {

/// Writes a file for every process into `directory`, which exists and is empty. What the run has to say
/// (issues) goes into the first one. Throws what the writer throws.
void writeRun(const trace::RunTrace& run, const std::filesystem::path& directory);

} // namespace ringside::importers
