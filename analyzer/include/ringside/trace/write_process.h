// SPDX-License-Identifier: Apache-2.0
// From memory to a file: what a reader or an importer holds becomes a native trace.
#pragma once
#include <ringside/trace/reader.h>

#include <filesystem>

namespace ringside::trace {

/// Writes all rows of a process, and `issues` beside its own, into the new file `file`. Throws what Writer
/// throws.
void writeProcess(const ProcessTrace& process, const std::filesystem::path& file,
                  const std::vector<IssueRow>& issues = {});

} // namespace ringside::trace
