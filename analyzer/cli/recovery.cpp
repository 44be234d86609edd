// SPDX-License-Identifier: Apache-2.0
#include "cli/recovery.h"

#include "cli/talk.h"

#include <ringside/trace/recover.h>

#include <fmt/format.h>

namespace ringside::cli {

void recoverAndTell(const std::filesystem::path& run, const std::filesystem::path& rings)
{
    const trace::RecoverReport report = trace::recover(run, rings);
    for (const auto& process : report.processes) {
        talk("ringside: {}: {} records recovered, {} dropped, {} calls in flight\n", process.name,
             process.records, process.dropped, process.inFlight);
    }
    for (const std::string& reason : report.skipped) {
        talk("ringside: {}\n", reason);
    }
}

} // namespace ringside::cli
