// SPDX-License-Identifier: Apache-2.0
#include "live/still_runs.h"

#include "live/snapshot.h"

#include <ringside/error.h>
#include <ringside/trace/recover.h>

#include <algorithm>
#include <cstdlib>

namespace ringside::live {

bool stillRuns(const std::filesystem::path& runDirectory)
{
    std::error_code error;
    if (!std::filesystem::is_directory(runDirectory, error)) {
        return false;
    }
    const RunNow now = readRun(runDirectory);
    const auto isRecent = [&now](const Snapshot& host) {
        return std::abs(now.readMs - host.writtenMs) < kSilentMs; // a clock may be wrong in either direction
    };
    if (std::ranges::any_of(now.hosts, isRecent)) {
        return true;
    }
    try {
        return std::ranges::any_of(trace::findLeftoverRings(runDirectory), &trace::LeftoverRings::running);
    } catch (const Error&) {
        return false; // whoever opens the directory is told why it cannot be read
    }
}

} // namespace ringside::live
