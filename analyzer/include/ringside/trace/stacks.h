// SPDX-License-Identifier: Apache-2.0
// The stacks of a process that hangs, taken from outside of it: HOST-PID.stacks beside its database, because
// a live database has one writer. FORMAT.md, "Stacks", has the form; readers and merge make rows of table
// stack of it.
#pragma once
#include <ringside/trace/rows.h>

#include <filesystem>
#include <vector>

namespace ringside::trace {

/// The file that belongs to a process file: NAME.stacks beside NAME.db.
[[nodiscard]] std::filesystem::path stackFileOf(const std::filesystem::path& processFile);

/// Empty when there is no such file. What is no line of a stack file, or beyond 65536 lines, is left out.
[[nodiscard]] std::vector<StackRow> readStacks(const std::filesystem::path& file);

/// Replaces the file as a whole: nobody sees half of it. Throws Error when it cannot be written.
void writeStacks(const std::filesystem::path& file, const std::vector<StackRow>& rows);

/// One row as a line of the file, without the line's end; and back. Null: not such a line.
[[nodiscard]] std::string formatStackLine(const StackRow& row);
[[nodiscard]] std::optional<StackRow> parseStackLine(std::string_view line);

} // namespace ringside::trace
