// SPDX-License-Identifier: Apache-2.0
#include "cli/witnesses.h"

#include "cli/text_file.h"
#include "flight_dumps/flight_dumps.h"
#include "hang/witness.h"
#include "import/open_run.h"
#include "import/rank_names.h"
#include "ras/client.h"
#include "ras/question.h"
#include "values/parse_number.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <utility>

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

/// Returns the newest answer. A reason why RAS was not asked counts only if there is no answer.
std::optional<fs::path> newestAnswer(const fs::path& folder)
{
    using Age = std::pair<bool, fs::file_time_type>;
    std::optional<std::pair<Age, fs::path>> newest;
    std::size_t files = 0;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end;
         !error && entry != end && files < kMostWitnessFiles; entry.increment(error), ++files) {
        std::error_code ignored;
        const Age age{entry->path().extension() != ras::kRasNotAsked, entry->last_write_time(ignored)};
        if (entry->is_regular_file(ignored) && !entry->is_symlink(ignored) &&
            (!newest || newest->first < age)) {
            newest = {age, entry->path()};
        }
    }
    return newest ? std::optional(newest->second) : std::nullopt;
}

hang::Witness ras(const fs::path& file, const hang::Report& report,
                  const std::vector<hang::RasMember>& members)
{
    hang::Witness witness;
    witness.source = hang::kRasSource;
    witness.title = hang::kRasTitle;
    const std::string text = fs::file_size(file) <= ras::kMostRasAnswerBytes ? readText(file) : "";
    if (file.extension() == ras::kRasNotAsked) {
        constexpr std::size_t kLongestReason = 300;
        witness.notAvailable = "not asked: " + std::string(values::trimmed(text)).substr(0, kLongestReason);
        return witness;
    }
    const auto answer = hang::parseRasAnswer(text);
    if (!answer) {
        witness.notAvailable = file.string() + " is not a complete answer of RAS";
        return witness;
    }
    witness = hang::rasWitness(*answer, report, members);
    witness.details.push_back("the whole answer: " + file.string());
    return witness;
}

/// `find` returns the witness, or none.
void hearIfThere(hang::Report& report, const char* source, const char* title,
                 const std::function<std::optional<hang::Witness>()>& find)
{
    std::optional<hang::Witness> witness;
    try {
        witness = find();
    } catch (const std::exception& error) {
        witness.emplace();
        witness->source = source;
        witness->title = title;
        witness->notAvailable = std::string("it cannot be read: ") + error.what();
    }
    // Why there is nothing to compare with matters only if something hangs.
    if (witness && (witness->notAvailable.empty() || report.kind != hang::Kind::Nothing)) {
        hang::hear(report, std::move(*witness));
    }
}

} // namespace

void addWitnesses(hang::Report& report, const fs::path& run, const hang::Options& options,
                  const std::vector<hang::RasMember>& members)
{
    hearIfThere(report, kFlightRecorder, kFlightRecorderTitle, [&]() -> std::optional<hang::Witness> {
        const std::vector<fs::path> files = newestDumps(run / flight_dumps::kFlightDumpFolder);
        return files.empty() ? std::nullopt : std::optional(flightRecorder(files, options));
    });
    hearIfThere(report, hang::kRasSource, hang::kRasTitle, [&]() -> std::optional<hang::Witness> {
        const auto file = newestAnswer(run / ras::kRasFolder);
        return file ? std::optional(ras(*file, report, members)) : std::nullopt;
    });
}

std::string witnessesText(const fs::path& run)
{
    std::vector<std::string> texts;
    if (const std::size_t dumps = newestDumps(run / flight_dumps::kFlightDumpFolder).size(); dumps > 0) {
        texts.push_back(fmt::format("{} of PyTorch's flight recorder",
                                    dumps == 1 ? "a dump" : fmt::format("{} dumps", dumps)));
    }
    if (const auto file = newestAnswer(run / ras::kRasFolder);
        file && file->extension() != ras::kRasNotAsked) {
        texts.emplace_back("an answer of NCCL's RAS");
    }
    return fmt::format("{}", fmt::join(texts, " and "));
}

} // namespace ringside::cli
