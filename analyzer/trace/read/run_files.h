// SPDX-License-Identifier: Apache-2.0
// Which files make up a run.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace ringside::trace {

/// Throws Error where nothing is there (Unusable) or it cannot be reached (Io, with the reason).
void checkPresent(const std::filesystem::path& path);

/// The regular files *.db of a directory, in the order of their names. Throws Error (Io).
std::vector<std::filesystem::path> databasesIn(const std::filesystem::path& directory);

/// The *.db files of a run directory in the order of their names, or the file itself. Throws Error when there
/// is none.
std::vector<std::filesystem::path> traceFilesOf(const std::filesystem::path& run);

/// SQLite's URI of a file, with the characters escaped that mean something in a URI.
std::string sqliteUri(const std::filesystem::path& file, const std::string& query);

} // namespace ringside::trace
