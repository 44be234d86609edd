// SPDX-License-Identifier: Apache-2.0
#include "mcp/runs.h"

#include "mcp/arguments.h"
#include "report/format.h"
#include "trace/shell_word.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ringside::mcp {
namespace fs = std::filesystem;
namespace {

/// Reports that are kept: a comparison needs two.
constexpr std::size_t kKept = 2;

/// Changes when a file of the run is written. Files that vanish meanwhile count as empty.
std::string stampOf(const fs::path& run)
{
    std::vector<fs::path> files{run};
    std::error_code ignored;
    for (fs::recursive_directory_iterator each(run, fs::directory_options::skip_permission_denied, ignored),
         end;
         each != end; each.increment(ignored)) {
        files.push_back(each->path());
    }
    std::ranges::sort(files);
    std::string stamp;
    for (const fs::path& file : files) {
        std::error_code missing;
        const auto written = fs::last_write_time(file, missing).time_since_epoch().count();
        stamp += fmt::format("{}:{}:{}\n", file.string(), written,
                             fs::is_regular_file(file, missing) ? fs::file_size(file, missing) : 0);
    }
    return stamp;
}

} // namespace

Run::Run(fs::path path, const BuildReport& build)
    : m_path(std::move(path)), m_stamp(stampOf(m_path)), m_build(build)
{}

bool Run::isCurrent() const
{
    return m_stamp == stampOf(m_path);
}

const report::Report& Run::report()
{
    if (!m_report) {
        m_report = m_build(m_path);
    }
    return *m_report;
}

const Json& Run::document()
{
    if (!m_document) {
        m_document = Json::parse(report::formatNamed("json").render(report()));
    }
    return *m_document;
}

const timeline::Timeline& Run::timeline()
{
    if (!m_timeline) {
        m_timeline = timeline::buildTimeline(report().model);
    }
    return *m_timeline;
}

query::Database& Run::database()
{
    if (!m_database) {
        importers::Progress nobody;
        m_database = std::make_unique<query::Database>(std::vector{m_path}, nobody);
    }
    return *m_database;
}

std::shared_ptr<Run> Runs::open(const Json& arguments, std::string_view name)
{
    const auto wanted = textIn(arguments, name);
    const auto path = std::ranges::find_if(
        m_paths, [&](const fs::path& each) { return !wanted || each.string() == *wanted; });
    if (path == m_paths.end()) {
        std::vector<std::string> known;
        std::ranges::transform(m_paths, std::back_inserter(known), wordOf);
        throw Error(ErrorCode::Usage,
                    fmt::format("this server was not started with a run called '{}'", *wanted),
                    fmt::format("Its runs: {}.", fmt::join(known, ", ")));
    }
    const auto found = std::ranges::find(m_opened, *path, [](const auto& each) { return each->path(); });
    std::shared_ptr<Run> run =
        found != m_opened.end() && (*found)->isCurrent() ? *found : std::make_shared<Run>(*path, m_build);
    if (found != m_opened.end()) {
        m_opened.erase(found);
    } else if (m_opened.size() == kKept) {
        m_opened.erase(m_opened.begin());
    }
    return m_opened.emplace_back(std::move(run));
}

std::string wordOf(const fs::path& run)
{
    return trace::shellWord(run.string());
}

} // namespace ringside::mcp
