// SPDX-License-Identifier: Apache-2.0
// Writes the rows that a reader or an importer holds in memory as a native trace.
#pragma once
#include <ringside/trace/reader.h>

#include <filesystem>

namespace ringside::trace {

/// Writes all rows of a process, and also `issues`, into the new file `file`. Throws the same errors as
/// Writer.
void writeProcess(const ProcessTrace& process, const std::filesystem::path& file,
                  const std::vector<IssueRow>& issues = {});

} // namespace ringside::trace
