// SPDX-License-Identifier: Apache-2.0
// The environment of a recorded command. It adds to the user's variables and never replaces them.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::cli {

/// Returns RINGSIDE_COLLECTOR if it is set, else the library in ../lib or ../lib/ringside beside this
/// program. Throws ringside::Error if there is none.
[[nodiscard]] std::filesystem::path findCollector();

/// Returns whether LD_PRELOAD can hold the path: the loader splits its list at spaces and colons, and expands
/// $.
[[nodiscard]] bool fitsPreload(const std::filesystem::path& path);

/// A path of the collector that LD_PRELOAD can hold. If its own path cannot be used, this is a link that
/// exists as long as the command runs: in the run directory, which the other hosts of the job see, else in a
/// private folder of this host.
class CollectorPath final {
public:
    /// Throws ringside::Error if a needed link cannot be created.
    CollectorPath(const std::filesystem::path& collector, const std::filesystem::path& runDirectory);
    ~CollectorPath();
    CollectorPath(const CollectorPath&) = delete;
    CollectorPath& operator=(const CollectorPath&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
    std::filesystem::path m_link;   ///< empty: the collector's own path is used
    std::filesystem::path m_folder; ///< created for the link; empty: none was needed
};

struct RecordSettings {
    std::filesystem::path directory;
    std::filesystem::path collector;
    /// Variables for the collector, with the values that the user gave.
    std::vector<std::pair<std::string, std::string>> variables;
};
/// Returns the variables that a command needs to be recorded, based on this process's environment:
/// LD_PRELOAD, NVTX_INJECTION64_PATH, RINGSIDE_DIR and those of `settings`.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
recordingEnvironment(const RecordSettings& settings);
/// Sets these variables in this process; the command inherits them.
void prepareEnvironment(const RecordSettings& settings);

} // namespace ringside::cli
