// SPDX-License-Identifier: Apache-2.0
#include "import/open_run.h"

#include "import/common_clock.h"
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
#include <set>

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

/// Returns the imported processes of a source that have no rank. The reader of native traces handles those by
/// itself.
std::vector<trace::ProcessTrace*> ranklessOf(Source& source)
{
    std::vector<trace::ProcessTrace*> rankless;
    for (trace::ProcessTrace& process : source.processes) {
        if (source.importer != nullptr && process.ranks.empty()) {
            rankless.push_back(&process);
        }
    }
    return rankless;
}

/// Throws if two tools recorded the files and some of them contain no rank. Those would become further ranks
/// of the job, although both tools may have recorded the same ones, or the files may belong to two jobs.
void refuseTwoTools(std::vector<Source>& sources)
{
    const Source* first = nullptr;
    const Source* other = nullptr;
    bool rankless = false;
    for (Source& source : sources) {
        if (source.importer == nullptr || source.processes.empty()) {
            continue;
        }
        first = first == nullptr ? &source : first;
        other = source.importer != first->importer ? &source : other;
        rankless = rankless || !ranklessOf(source).empty();
    }
    if (other != nullptr && rankless) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("{} ({}) and {} ({}) were recorded by two tools, and not every file contains "
                                "its rank, so they cannot be put together",
                                first->path.string(), first->importer->title, other->path.string(),
                                other->importer->title),
                    "Give the files of one tool only.");
    }
}

/// Returns start and end of a recording in CLOCK_REALTIME. Null if the file does not contain them.
std::optional<std::pair<std::int64_t, std::int64_t>> realtimeOf(const trace::ProcessTrace& process)
{
    if (process.clockSamples.empty() || !process.process.endNs) {
        return std::nullopt;
    }
    const trace::ClockSampleRow& clock = process.clockSamples.front();
    const auto realtime = [&clock](std::int64_t ns) { // a hostile file's times may wrap
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(ns) +
                                         static_cast<std::uint64_t>(clock.realtimeNs) -
                                         static_cast<std::uint64_t>(clock.monotonicNs));
    };
    return std::pair(realtime(process.process.startNs), realtime(*process.process.endNs));
}

/// The process of each rank.
using Claims = std::map<std::int64_t, const trace::ProcessTrace*>;

/// Returns the files that were recorded while a process was.
std::vector<std::string> filesBeside(const std::vector<Source>& sources, const trace::ProcessTrace& process)
{
    std::vector<std::string> files;
    const auto span = realtimeOf(process);
    for (const Source& source : sources) {
        const bool beside = std::ranges::any_of(source.processes, [&](const trace::ProcessTrace& other) {
            const auto own = realtimeOf(other);
            return span && own && own->first <= span->second && own->second >= span->first;
        });
        if (beside) {
            files.push_back(trace::shellWord(source.path.string()));
        }
    }
    return files;
}

/// Throws because a rank has two files: cycles of a profiler's schedule, or parts of two recordings.
[[noreturn]] void refuseSecondFile(const std::vector<Source>& sources, std::int64_t rank,
                                   const trace::ProcessTrace& first, const trace::ProcessTrace& second)
{
    const auto a = realtimeOf(first);
    const auto b = realtimeOf(second);
    if (a && b && (a->second < b->first || b->second < a->first)) {
        throw Error(
            ErrorCode::Unusable,
            fmt::format("rank {} was recorded in several cycles of a profiler, one after the other: {} "
                        "and {}",
                        rank, first.path.string(), second.path.string()),
            fmt::format("Give the files of one cycle: ringside report {}",
                        fmt::join(filesBeside(sources, a->first < b->first ? first : second), " ")));
    }
    throw Error(ErrorCode::Unusable,
                fmt::format("rank {} is claimed by two files: {} and {}", rank, first.path.string(),
                            second.path.string()),
                "A run has one file of each rank: give the files of one recording only.");
}

void claim(Claims& claims, const std::vector<Source>& sources, std::int64_t rank,
           const trace::ProcessTrace& process)
{
    const auto [entry, fresh] = claims.try_emplace(rank, &process);
    if (!fresh && entry->second->path != process.path) { // a log that was appended to holds attempts
        refuseSecondFile(sources, rank, *entry->second, process);
    }
}

/// Returns the devices of a process's ranks. If several devices have communicators, each is a rank, and where
/// all run the same program, each that computes. Otherwise the process is one rank, and the device is null if
/// it is ambiguous.
std::vector<std::optional<std::int64_t>> devicesOf(const trace::ProcessTrace& process,
                                                   const Importer& importer)
{
    std::set<std::int64_t> devices;
    for (const trace::CommunicatorRow& row : process.communicators) {
        if (row.device >= 0) {
            devices.insert(row.device);
        }
    }
    const bool severalCommunicate = devices.size() > 1;
    if (!severalCommunicate || importer.devicesAreRanks) {
        devices = {process.kernels.device.begin(), process.kernels.device.end()};
    }
    if (severalCommunicate || (importer.devicesAreRanks && devices.size() > 1)) {
        return {devices.begin(), devices.end()};
    }
    return {devices.size() == 1 ? std::optional(*devices.begin()) : std::nullopt};
}

void addRank(trace::ProcessTrace& process, std::int64_t rank, std::optional<std::int64_t> device,
             const char* from)
{
    trace::RankRow row;
    row.rank = rank;
    row.source = from;
    row.device = device;
    process.ranks.push_back(std::move(row));
}

/// Throws if two files of a host without ranks do not overlap in time. They are separate runs; as ranks of
/// one run, their collectives would be matched with each other.
void refuseRecordingsInTurn(std::vector<Source>& sources)
{
    struct Recording {
        std::int64_t startNs, endNs;
        const Source* source;
    };
    std::map<std::string, std::vector<Recording>> byHost;
    for (Source& source : sources) {
        for (const trace::ProcessTrace* const process : ranklessOf(source)) {
            if (const auto span = realtimeOf(*process)) {
                byHost[process->process.host].push_back({span->first, span->second, &source});
            }
        }
    }
    for (auto& [host, recordings] : byHost) {
        std::ranges::sort(recordings, {}, &Recording::startNs);
        const Recording* last = recordings.data();
        for (const Recording& next : recordings) {
            if (next.startNs > last->endNs && next.source != last->source) {
                const auto word = [](const Source* source) {
                    return trace::shellWord(source->path.string());
                };
                throw Error(
                    ErrorCode::Unusable,
                    fmt::format("{} and {} are two runs: the second was recorded when the first had ended, "
                                "and neither contains its rank",
                                last->source->path.string(), next.source->path.string()),
                    fmt::format("Compare them: ringside diff {} {}", word(last->source), word(next.source)));
            }
            last = next.endNs > last->endNs ? &next : last;
        }
    }
}

/// Numbers the remaining ranks in the order of files, processes and devices. Returns how many there were.
std::int64_t guessRanks(std::vector<Source>& sources, Claims& claims)
{
    std::int64_t guessed = 0;
    std::int64_t next = 0;
    const auto guess = [&](trace::ProcessTrace& process, std::optional<std::int64_t> device) {
        while (claims.contains(next)) {
            ++next;
        }
        claim(claims, sources, next, process);
        addRank(process, next, device, "order of the files");
        ++guessed;
    };
    for (Source& source : sources) {
        for (trace::ProcessTrace* const process : ranklessOf(source)) {
            for (const std::optional<std::int64_t> device : devicesOf(*process, *source.importer)) {
                guess(*process, device);
            }
        }
    }
    return guessed;
}

/// Assigns ranks to the files that do not contain them: from the file's name, else the next free number.
void findRanks(std::vector<Source>& sources, trace::RunTrace& run)
{
    Claims claims;
    for (const Source& source : sources) {
        for (const trace::ProcessTrace& process : source.processes) {
            for (const trace::RankRow& row : process.ranks) {
                if (source.importer != nullptr) {
                    claim(claims, sources, row.rank, process);
                } else { // attempts of a restarted rank have a file each
                    claims.try_emplace(row.rank, &process);
                }
            }
        }
    }
    for (Source& source : sources) {
        const auto rankless = ranklessOf(source);
        if (rankless.size() != 1 || source.processes.size() != 1 || source.importer->namedByHost) {
            continue; // a file name gives only one rank, or none
        }
        const auto devices = devicesOf(*rankless.front(), *source.importer);
        if (const auto rank = devices.size() == 1 ? rankOfName(source.path) : std::nullopt) {
            claim(claims, sources, *rank, *rankless.front());
            addRank(*rankless.front(), *rank, devices.front(), "file name");
        }
    }
    refuseTwoTools(sources);
    refuseRecordingsInTurn(sources);
    const std::int64_t guessed = guessRanks(sources, claims);
    const bool alone = sources.size() == 1 && guessed == 1;
    if (guessed > 0 && !alone) {
        run.issues.push_back(
            {trace::Issue::RankGuessed, guessed,
             "ranks are in neither the contents nor the names of the files; they were numbered in the order "
             "of the files, their processes and devices"});
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
        run.issues.back().message += fmt::format(
            "; not read, because they hold the same recording once more: {}", fmt::join(repeated, ", "));
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
