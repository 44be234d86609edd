// SPDX-License-Identifier: Apache-2.0
// Reads the summaries of all steps without the other rows of a trace.
#pragma once
#include <ringside/trace/rows.h>

#include <filesystem>
#include <map>
#include <vector>

namespace ringside::trace {

/// Returns the rows of table step_summary by process_id. Rows with impossible times are left out. Throws what
/// TraceFile throws, and Error if the table is damaged.
[[nodiscard]] std::map<std::int64_t, std::vector<StepSummaryRow>>
readStepSummaries(const std::filesystem::path& file);

} // namespace ringside::trace
