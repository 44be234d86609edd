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

/// Whether LD_PRELOAD can hold the path: the loader parts its list at spaces and colons, and replaces what
/// begins with $.
[[nodiscard]] bool fitsPreload(const std::filesystem::path& path);

/// The collector by a path that LD_PRELOAD can hold. Where its own is none, a link for as long as the command
/// runs: in the run directory, which other hosts of the job see as well, else in a private folder of this
/// host.
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
    /// What the collector reads from its environment, as the user wrote it.
    std::vector<std::pair<std::string, std::string>> variables;
};
/// What a command needs in its environment to be recorded, beside what this process has in its own:
/// LD_PRELOAD, NVTX_INJECTION64_PATH, RINGSIDE_DIR and the variables.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
recordingEnvironment(const RecordSettings& settings);
/// Sets that in this process, for the command to inherit.
void prepareEnvironment(const RecordSettings& settings);

} // namespace ringside::cli
