// SPDX-License-Identifier: Apache-2.0
// The stacks of a hanging process, captured from outside: HOST-PID.stacks beside its database, because a
// database in use has only one writer. FORMAT.md, "Stacks", describes the format. Readers and merge add the
// rows to table stack.
#pragma once
#include <ringside/trace/rows.h>

#include <filesystem>
#include <vector>

namespace ringside::trace {

/// Returns the path of the file that belongs to a process file: NAME.stacks beside NAME.db.
[[nodiscard]] std::filesystem::path stackFileOf(const std::filesystem::path& processFile);

/// Returns nothing if there is no such file. Lines of another format and lines beyond 65536 are ignored.
[[nodiscard]] std::vector<StackRow> readStacks(const std::filesystem::path& file);

/// Replaces the file as a whole. Throws Error if it cannot be written.
void writeStacks(const std::filesystem::path& file, const std::vector<StackRow>& rows);

/// Formats a row as a line of the file without line end, and parses such a line. Returns null for any other
/// text.
[[nodiscard]] std::string formatStackLine(const StackRow& row);
[[nodiscard]] std::optional<StackRow> parseStackLine(std::string_view line);

} // namespace ringside::trace
