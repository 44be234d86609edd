// SPDX-License-Identifier: Apache-2.0
#include "import/open_run.h"

#include "import/common_clock.h"
#include "import/find_ranks.h"
#include "import/number_by_time.h"
#include "import/rank_names.h"
#include "import/sources.h"
#include "trace/read/parallel.h"
#include "trace/read/watched_run.h"
#include "trace/shell_word.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

namespace ringside::importers {
namespace {

namespace fs = std::filesystem;

/// Adds the file name to issues about a truncated file, so that it can be found among several.
void nameFile(trace::ProcessTrace& process)
{
    for (trace::IssueRow& issue : process.issues) {
        if (issue.is(trace::Issue::TruncatedFile)) {
            issue.message = fmt::format("{}: {}", process.path.filename().string(), issue.message);
        }
    }
}

/// Removes the files that hold the recording of another one once more, and returns their names.
std::vector<std::string> dropRepeated(std::vector<Source>& sources)
{
    const auto isRepeated = [&](const Source& other) {
        return std::ranges::any_of(sources, [&](const Source& own) {
            return own.importer != nullptr && own.importer->repeats != nullptr &&
                   other.importer != own.importer && own.path.parent_path() == other.path.parent_path() &&
                   own.importer->repeats(own.path, other.path);
        });
    };
    std::vector<Source> kept;
    std::vector<std::string> names;
    for (const Source& source : sources) {
        if (isRepeated(source)) {
            names.push_back(source.path.filename().string());
        } else {
            kept.push_back(source);
        }
    }
    sources = std::move(kept);
    return names;
}

void importSources(std::vector<Source*>& foreign, Progress& progress, void (*reduce)(trace::ProcessTrace&))
{
    for (const Source* const source : foreign) {
        progress.expect(fs::file_size(source->path));
    }
    // The largest first, so that no thread ends long after the others.
    std::ranges::stable_sort(foreign, std::greater<>{},
                             [](const Source* source) { return fs::file_size(source->path); });
    const unsigned cores = trace::coreCount();
    const unsigned threadsAFile = std::max(1U, cores / static_cast<unsigned>(foreign.size()));
    trace::parallelFor(foreign.size(), cores, [&](std::size_t i) {
        Source& source = *foreign[i];
        if (source.error) {
            return; // it could not even be opened
        }
        try {
            source.processes = source.importer->import({source.path, threadsAFile, progress});
        } catch (const Error& error) {
            source.error = error;
        }
        for (trace::ProcessTrace& process : source.processes) {
            process.path = source.path;
            nameFile(process);
            if (reduce != nullptr) {
                reduce(process);
            }
        }
    });
}

/// Adds an issue for each unreadable file. Throws its error if no file could be read.
void reportFailures(const std::vector<Source>& sources, trace::RunTrace& run)
{
    const bool any = std::ranges::any_of(sources, [](const Source& each) { return !each.processes.empty(); });
    for (const Source& source : sources) {
        if (source.error && !any) {
            throw Error(*source.error);
        }
        if (source.error) {
            run.issues.push_back({trace::Issue::UnreadableFile, 1, source.error->what()});
        }
    }
}

/// Returns the run directory of a native source, which is the directory itself or a file in it.
fs::path directoryOf(const Source& source)
{
    return fs::is_directory(source.path) ? source.path : fs::absolute(source.path).parent_path();
}

/// Throws if two native sources contain the same rank. Sources that are given together are one run, so their
/// ranks must differ. Attempts of a restarted rank are in one directory.
void refuseTwoRuns(const std::vector<Source>& sources)
{
    std::map<std::int64_t, const Source*> owners;
    for (const Source& source : sources) {
        if (source.importer != nullptr) {
            continue;
        }
        for (const trace::ProcessTrace& process : source.processes) {
            for (const trace::RankRow& row : process.ranks) {
                const Source& owner = *owners.try_emplace(row.rank, &source).first->second;
                if (&owner != &source && directoryOf(owner) != directoryOf(source)) {
                    throw Error(ErrorCode::Usage,
                                fmt::format("{} and {} are two runs: both have rank {}", owner.path.string(),
                                            source.path.string(), row.rank),
                                fmt::format("Compare them: ringside diff {} {}",
                                            trace::shellWord(owner.path.string()),
                                            trace::shellWord(source.path.string())));
                }
            }
        }
    }
}

/// Throws if imported files disagree on the world size.
void refuseTwoJobs(const std::vector<Source>& sources)
{
    const trace::ProcessTrace* first = nullptr;
    for (const Source& source : sources) {
        for (const trace::ProcessTrace& process : source.processes) {
            if (source.importer == nullptr || process.ranks.empty() || !process.ranks.front().worldSize) {
                continue;
            }
            first = first == nullptr ? &process : first;
            if (process.ranks.front().worldSize != first->ranks.front().worldSize) {
                throw Error(ErrorCode::Unusable,
                            fmt::format("{} and {} are of two jobs: one of {} ranks, one of {}",
                                        first->path.string(), process.path.string(),
                                        *first->ranks.front().worldSize, *process.ranks.front().worldSize),
                            "Give the files of one job only.");
            }
        }
    }
}

void nameWriters(std::vector<Source>& sources)
{
    for (Source& source : sources) {
        const auto writer = source.importer != nullptr ? writerOfName(source.path) : std::nullopt;
        for (trace::ProcessTrace& process : source.processes) {
            const std::int64_t pid = process.process.pid;
            if (!writer || (pid != 0 && pid != writer->pid)) { // the name only looks like HOST_PID
                continue;
            }
            process.process.pid = writer->pid;
            if (process.process.host.empty()) {
                process.process.host = writer->host;
            }
        }
    }
}

void noteOrigin(const std::vector<Source>& sources, const std::vector<std::string>& repeated,
                trace::RunTrace& run)
{
    std::map<std::string_view, std::int64_t> files;
    for (const Source& source : sources) {
        if (source.importer != nullptr) {
            ++files[source.importer->title];
        }
    }
    for (const auto& [title, count] : files) {
        run.issues.push_back({trace::Issue::Imported, count,
                              fmt::format("{} not recorded by Ringside, but imported: {}",
                                          count == 1 ? "a file was" : "files were", title)});
    }
    if (!repeated.empty()) {
        run.issues.push_back({trace::Issue::Imported, static_cast<std::int64_t>(repeated.size()),
                              fmt::format("not read, because the same recording is in another file: {}",
                                          fmt::join(repeated, ", "))});
    }
}

/// Opens a native file or directory. `progress` counts the bytes of chunks, which are nearly all.
trace::RunTrace openNative(const fs::path& path, Progress& progress)
{
    std::error_code ignored;
    if (fs::is_directory(path)) {
        for (const auto& entry : fs::directory_iterator(path)) {
            const std::uintmax_t bytes = entry.file_size(ignored);
            progress.expect(entry.path().extension() == ".db" && !ignored ? bytes : 0);
        }
    } else {
        const std::uintmax_t bytes = fs::file_size(path, ignored);
        progress.expect(ignored ? 0 : bytes);
    }
    return trace::openRun(path, [&progress](std::uint64_t bytes) { progress.add(bytes); });
}

} // namespace

fs::path namedPath(const fs::path& path)
{
    const fs::path run = path.has_filename() ? path : path.parent_path();
    std::error_code ignored;
    return run.filename() == "." || run.filename() == ".." ? fs::canonical(run, ignored) : run;
}

bool isNative(const std::vector<fs::path>& paths)
{
    return std::ranges::all_of(paths, isNativeRun);
}

std::vector<fs::path> runsIn(const std::vector<fs::path>& paths)
{
    std::vector<fs::path> runs;
    for (const fs::path& path : paths) {
        std::vector<fs::path> inside;
        if (fs::is_directory(path) && !isNative({path})) {
            for (const auto& entry : fs::directory_iterator(path)) {
                if (entry.is_directory() && isNative({entry.path()})) {
                    inside.push_back(entry.path());
                }
            }
            std::ranges::sort(inside);
        }
        inside = inside.empty() ? std::vector{path} : inside;
        runs.insert(runs.end(), inside.begin(), inside.end());
    }
    return runs;
}

trace::RunTrace openRun(const std::vector<fs::path>& paths, Progress& progress,
                        std::span<const Importer* const> importers, void (*reduce)(trace::ProcessTrace&))
{
    if (paths.size() == 1 && isNative(paths)) {
        return openNative(namedPath(paths.front()), progress);
    }
    std::vector<Source> sources = findSources(paths, importers);
    trace::RunTrace run;
    const std::vector<std::string> repeated = dropRepeated(sources);
    run.path = paths.size() == 1     ? namedPath(paths.front())
               : sources.size() == 1 ? namedPath(sources.front().path)
                                     : fs::absolute(paths.front()).parent_path();
    std::vector<Source*> foreign;
    for (Source& source : sources) {
        if (source.importer != nullptr) {
            foreign.push_back(&source);
            continue;
        }
        trace::RunTrace native = openNative(source.path, progress);
        source.processes = std::move(native.processes);
        std::ranges::move(native.issues, std::back_inserter(run.issues));
    }
    refuseTwoRuns(sources);
    if (!foreign.empty()) {
        importSources(foreign, progress, reduce);
        reportFailures(sources, run);
        refuseTwoJobs(sources);
        nameWriters(sources);
        findRanks(sources, run);
        noteOrigin(sources, repeated, run);
    }
    std::vector<trace::ProcessTrace> imported;
    for (Source& source : sources) {
        std::ranges::move(source.processes,
                          std::back_inserter(source.importer != nullptr ? imported : run.processes));
    }
    if (const std::int64_t apart = useOneOrigin(imported); apart > 0) {
        run.issues.push_back({trace::Issue::ClocksApart, apart,
                              "files are years apart according to their clocks; their times cannot be "
                              "compared"});
    }
    if (const std::int64_t later = numberByTime(imported); later > 0) {
        run.issues.push_back(
            {trace::Issue::RecordingsApart, later,
             "the profilers of some ranks started later than others; collectives are matched "
             "by the time at which they ended, and only what all ranks recorded is compared"});
    }
    std::ranges::move(imported, std::back_inserter(run.processes));
    return run;
}

} // namespace ringside::importers
