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

/// The collector by a path that LD_PRELOAD can hold: the loader parts its list at spaces and colons, and
/// replaces what begins with $. Where the real path has one of them, a link for as long as the command runs:
/// in the run directory, which other hosts of the job see as well, else in a private folder of this host.
class CollectorPath final {
public:
    /// Throws ringside::Error where no such link can be made.
    CollectorPath(const std::filesystem::path& collector, const std::filesystem::path& runDirectory);
    ~CollectorPath();
    CollectorPath(const CollectorPath&) = delete;
    CollectorPath& operator=(const CollectorPath&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
    std::filesystem::path m_link;   ///< empty: the path is the collector's own
    std::filesystem::path m_folder; ///< made for the link; empty: none was
};

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
