// SPDX-License-Identifier: Apache-2.0
// Summaries of the hosts of a run, for `reduce` and `record --reduce`.
#pragma once
#include "reduce/reduce.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace ringside::cli {

struct SummaryOptions {
    std::filesystem::path run;
    std::string host;                ///< empty: all
    std::filesystem::path directory; ///< empty: that of the traces
    std::int64_t steps = reduce::kDefaultSteps;
};

/// Writes the summaries, says what they hold, and returns the exit code. Throws ringside::Error.
int summarizeHosts(const SummaryOptions& options);

/// Writes the summary of this host, unless processes of it are still being recorded: the last `record` on the
/// host does it. A failure is only said, because a recording must not change the command's exit code.
void summarizeThisHost(const std::filesystem::path& run);

} // namespace ringside::cli
