// SPDX-License-Identifier: Apache-2.0
// The file HOST.summary.db.
#pragma once
#include <ringside/trace/reader.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ringside::reduce {

/// Returns the name of a host's summary. Characters that file names should not have became `_`.
[[nodiscard]] std::string summaryName(const std::string& host);

/// Throws Error (Usage) if the file exists and is anything else than a summary.
void refuseForeign(const std::filesystem::path& file);

/// Writes the processes, which are at least one, as a merged trace. A reader sees the former file or the new
/// one as a whole. Equal processes give equal bytes.
void writeSummary(const std::vector<trace::ProcessTrace>& processes, const std::filesystem::path& file);

} // namespace ringside::reduce
