// SPDX-License-Identifier: Apache-2.0
// The runs that a server may read: those that its user named, and no others. A run is analyzed once and kept
// until its files change.
#pragma once
#include "output/json_value.h"
#include "query/database.h"
#include "report/report.h"
#include "timeline/timeline.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ringside::mcp {

using BuildReport = std::function<report::Report(const std::filesystem::path&)>;

/// One run. Each part is made when it is asked for first; all throw Error as the commands do.
class Run final {
public:
    Run(std::filesystem::path path, const BuildReport& build);

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Returns whether no file of the run was written since.
    [[nodiscard]] bool isCurrent() const;
    [[nodiscard]] const report::Report& report();
    [[nodiscard]] const Json& document(); ///< the JSON report
    [[nodiscard]] const timeline::Timeline& timeline();
    [[nodiscard]] query::Database& database();

private:
    std::filesystem::path m_path;
    std::string m_stamp;
    const BuildReport& m_build;
    std::optional<report::Report> m_report;
    std::optional<Json> m_document;
    std::optional<timeline::Timeline> m_timeline;
    std::unique_ptr<query::Database> m_database;
};

class Runs final {
public:
    /// `build` analyzes a run; it throws Error as `ringside report` does.
    Runs(std::vector<std::filesystem::path> paths, BuildReport build)
        : m_paths(std::move(paths)), m_build(std::move(build))
    {}
    Runs(const Runs&) = delete;
    Runs& operator=(const Runs&) = delete;

    [[nodiscard]] const std::vector<std::filesystem::path>& paths() const { return m_paths; }
    /// Returns the run that the argument `name` of a tool names; without that argument, the first one.
    /// Throws Error (Usage) for a path that the server was not started with.
    [[nodiscard]] std::shared_ptr<Run> open(const Json& arguments, std::string_view name = "run");

private:
    std::vector<std::filesystem::path> m_paths;
    BuildReport m_build;
    std::vector<std::shared_ptr<Run>> m_opened; ///< the one used last comes last
};

/// Returns the words by which a run is named in a shell.
[[nodiscard]] std::string wordOf(const std::filesystem::path& run);

} // namespace ringside::mcp
