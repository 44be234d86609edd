// SPDX-License-Identifier: Apache-2.0
// The last lines of `ringside record`: what was recorded, what was not and why, and what to do next.
#pragma once
#include <filesystem>
#include <map>
#include <string>

namespace ringside::cli {

/// Number of processes that stopped writing their traces, by reason.
using Stops = std::map<std::string, std::size_t>;

/// Reads the stops of this host's ended processes. Call it before their rings are recovered, because recovery
/// removes them.
[[nodiscard]] Stops findStops(const std::filesystem::path& runDirectory);

struct RecordedCommand {
    std::filesystem::path runDirectory;
    std::string program;
    bool isFlightRecorder = false;
    bool isOff = false; ///< --profile off
};

void printSummary(const RecordedCommand& command, const Stops& stops);

} // namespace ringside::cli
