// SPDX-License-Identifier: Apache-2.0
// The environment of a recorded command. Adds to what the user set, never replaces it.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::cli {

/// RINGSIDE_COLLECTOR, else next to this program: ../lib, ../lib/ringside. Throws ringside::Error when it is
/// nowhere.
[[nodiscard]] std::filesystem::path findCollector();

struct RecordSettings {
    std::filesystem::path directory;
    std::filesystem::path collector;
    /// What the collector reads from its environment, as the user wrote it; an empty value is not set.
    std::vector<std::pair<const char*, std::string>> variables;
};
/// Sets LD_PRELOAD, NVTX_INJECTION64_PATH, RINGSIDE_DIR and the variables of this process, for the command to
/// inherit.
void prepareEnvironment(const RecordSettings& settings);

} // namespace ringside::cli
