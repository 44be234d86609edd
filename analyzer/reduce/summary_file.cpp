// SPDX-License-Identifier: Apache-2.0
#include "reduce/summary_file.h"

#include "trace/read/run_files.h"
#include "trace/read/system_error.h"
#include "trace/read/trace_file.h"
#include "trace/read/unfinished.h"
#include "trace/tables.h"

#include <ringside/error.h>
#include <ringside/trace/merge.h>
#include <ringside/trace/private_file.h>
#include <ringside/trace/write_process.h>

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <string>
#include <system_error>

namespace ringside::reduce {
namespace {

namespace fs = std::filesystem;

/// An empty table takes a page, and a summary has few rows in most. So its pages are small.
constexpr const char* kPageSize = "PRAGMA page_size = 512";

bool isSummary(const fs::path& file)
{
    try {
        const trace::TraceFile trace(file);
        trace::Statement others(trace.database(),
                                std::string("SELECT count(*) FROM process WHERE process_id NOT IN (SELECT "
                                            "process_id FROM meta WHERE key = '") +
                                    trace::kSummaryOfKey + "')");
        return others.step() && others.column<std::int64_t>(0) == 0;
    } catch (const Error&) { // not a trace
        return false;
    }
}

/// Writes the file in the order of its rows and without gaps.
void compactInto(const fs::path& merged, const fs::path& file)
{
    trace::Database database(merged, SQLITE_OPEN_READWRITE);
    database.execute(kPageSize);
    trace::Statement vacuum(database, "VACUUM INTO ?1");
    const std::string target = fs::absolute(file).string();
    vacuum.bind(1, target);
    vacuum.run();
}

} // namespace

std::string summaryName(const std::string& host)
{
    constexpr std::size_t kLongest = 200; // file names have at most 255 bytes
    std::string name = host.empty() ? "unknown" : host.substr(0, kLongest);
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-' && c != '_'; }, '_');
    return name + std::string(trace::kSummaryEnding);
}

void refuseForeign(const fs::path& file)
{
    std::error_code ignored;
    const fs::file_status status = fs::symlink_status(file, ignored);
    if (fs::exists(status) && !(fs::is_regular_file(status) && isSummary(file))) {
        throw Error(ErrorCode::Usage, file.string() + " exists and is not a summary",
                    "Remove it, or choose another directory with -o.");
    }
}

void writeSummary(const std::vector<trace::ProcessTrace>& processes, const fs::path& file)
{
    if (processes.empty()) {
        throw Error(ErrorCode::Unusable, "no process of the host can be read");
    }
    const trace::Unfinished folder = trace::makeTemporaryFolder();
    std::vector<fs::path> files;
    for (const trace::ProcessTrace& process : processes) {
        files.push_back(folder.path() / (std::to_string(files.size()) + ".db"));
        trace::writeProcess(process, files.back());
    }
    const fs::path merged = folder.path() / "merged.db";
    trace::merge(files, merged);
    const fs::path beginning = file.string() + "." + std::to_string(getpid()) + ".tmp";
    trace::Unfinished made(beginning, [&] { return trace::makePrivateFile(beginning); });
    if (made.path().empty()) {
        throw trace::systemError("cannot make " + beginning.string(), errno);
    }
    compactInto(merged, beginning);
    if (rename(beginning.c_str(), file.c_str()) != 0) {
        throw trace::systemError("cannot write " + file.string(), errno);
    }
    made.keep();
}

} // namespace ringside::reduce
