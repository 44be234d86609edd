// SPDX-License-Identifier: Apache-2.0
// Which files belong to a run.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::trace {

/// Throws Error if the path does not exist (Unusable) or cannot be accessed (Io, with the reason).
void checkPresent(const std::filesystem::path& path);

/// How the name of a host's summary ends (`ringside reduce`).
inline constexpr std::string_view kSummaryEnding = ".summary.db";

/// Returns the regular files *.db of a directory, sorted by name. Summaries are left out of hosts whose
/// traces are there, too. Throws Error (Io).
std::vector<std::filesystem::path> databasesIn(const std::filesystem::path& directory);

/// Returns the *.db files of a run directory, sorted by name, or the file itself. Throws Error if there is
/// none.
std::vector<std::filesystem::path> traceFilesOf(const std::filesystem::path& run);

/// Returns SQLite's URI of a file, with special characters escaped.
std::string sqliteUri(const std::filesystem::path& file, const std::string& query);

} // namespace ringside::trace
