// SPDX-License-Identifier: Apache-2.0
#include "cli/witnesses.h"

#include "cli/flight_dumps.h"
#include "hang/witness.h"
#include "import/open_run.h"
#include "import/rank_names.h"

#include <exception>
#include <map>

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostWitnessFiles = 65'536; ///< a rank has one
constexpr const char* kFlightRecorder = "flight_recorder";
constexpr const char* kFlightRecorderTitle = "PyTorch's flight recorder";

/// Returns one dump of each rank. A rank that was restarted on another host has two; the newer one counts.
std::vector<fs::path> newestDumps(const fs::path& folder)
{
    std::map<std::int64_t, fs::path> newest;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end;
         !error && entry != end && newest.size() < kMostWitnessFiles; entry.increment(error)) {
        std::error_code ignored;
        const auto rank = importers::rankOfName(entry->path());
        if (!rank || !entry->is_regular_file(ignored) || entry->is_symlink(ignored)) {
            continue;
        }
        fs::path& known = newest[*rank];
        if (known.empty() || fs::last_write_time(known, ignored) < entry->last_write_time(ignored)) {
            known = entry->path();
        }
    }
    std::vector<fs::path> files;
    for (auto& [rank, file] : newest) {
        files.push_back(std::move(file));
    }
    return files;
}

hang::Witness flightRecorder(const std::vector<fs::path>& files, const hang::Options& options)
{
    importers::Progress progress;
    trace::RunTrace dumps = importers::openRun(files, progress);
    const std::vector<hang::ProcessNow> now(dumps.processes.size());
    const std::vector<trace::IssueRow> issues = dumps.issues;
    hang::Witness witness =
        hang::witnessOf(hang::analyze(std::move(dumps), now, options), kFlightRecorder, kFlightRecorderTitle);
    for (const trace::IssueRow& issue : issues) {
        if (issue.is(trace::Issue::UnreadableFile)) {
            witness.details.push_back(issue.message);
        }
    }
    return witness;
}

} // namespace

void addWitnesses(hang::Report& report, const fs::path& run, const hang::Options& options)
{
    const std::vector<fs::path> files = newestDumps(run / kFlightDumpFolder);
    if (files.empty()) {
        return;
    }
    try {
        hang::hear(report, flightRecorder(files, options));
    } catch (const std::exception& error) {
        hang::Witness witness;
        witness.source = kFlightRecorder;
        witness.title = kFlightRecorderTitle;
        witness.notAvailable = std::string("its dumps cannot be read: ") + error.what();
        hang::hear(report, std::move(witness));
    }
}

} // namespace ringside::cli
