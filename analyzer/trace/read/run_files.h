// SPDX-License-Identifier: Apache-2.0
// Which files make up a run.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace ringside::trace {

/// The *.db files of a run directory in the order of their names, or the file itself. Throws Error when there
/// is none.
std::vector<std::filesystem::path> traceFilesOf(const std::filesystem::path& run);

/// SQLite's URI of a file, with the characters escaped that mean something in a URI.
std::string sqliteUri(const std::filesystem::path& file, const std::string& query);

} // namespace ringside::trace
