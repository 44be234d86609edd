// SPDX-License-Identifier: Apache-2.0
// The few lines that `ringside record` ends with: what was recorded, what was not and why, what to do next.
#pragma once
#include <filesystem>
#include <map>
#include <string>

namespace ringside::cli {

/// How many processes could not write their traces to their ends, by the reason.
using Stops = std::map<std::string, std::size_t>;

/// Of this host's processes, which have ended. Before their rings are recovered, which removes them.
[[nodiscard]] Stops findStops(const std::filesystem::path& runDirectory);

struct RecordedCommand {
    std::filesystem::path runDirectory;
    std::string program;
    bool isFlightRecorder = false;
    bool isOff = false; ///< --profile off
};

void printSummary(const RecordedCommand& command, const Stops& stops);

} // namespace ringside::cli
