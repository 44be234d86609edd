// SPDX-License-Identifier: Apache-2.0
#include "import/open_run.h"

#include "import/common_clock.h"
#include "import/input.h"
#include "import/rank_names.h"
#include "trace/read/parallel.h"
#include "trace/read/sqlite_head.h"
#include "trace/read/watched_run.h"
#include "trace/tables.h"

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

constexpr int kDeepest = 3; // .../run/rank3/trace.json

/// A file that is part of the run; without an importer it is native.
struct Source {
    fs::path path;
    const Importer* importer = nullptr;
    std::vector<trace::ProcessTrace> processes = {};
    std::optional<Error> error = std::nullopt;
};

/// A trace of our own: SQLite with our application_id.
bool isNativeHead(std::string_view head)
{
    return trace::parseSqliteHead(head).applicationId == trace::kApplicationId;
}

bool holdsTraces(const fs::path& directory)
{
    return std::ranges::any_of(fs::directory_iterator(directory),
                               [](const auto& entry) { return entry.path().extension() == ".db"; });
}

const Importer* importerOf(const fs::path& file, std::string_view head,
                           std::span<const Importer* const> importers)
{
    const auto found = std::ranges::find_if(
        importers, [&](const Importer* importer) { return importer->recognises(head, file); });
    return found != importers.end() ? *found : nullptr;
}

std::string lookedFor(std::span<const Importer* const> importers)
{
    std::string text = "Looked for: native traces (*.db)";
    for (const Importer* const importer : importers) {
        text += fmt::format("; {} ({})", importer->title, importer->files);
    }
    return text + ". Files are told by their contents.";
}

/// What an importer recognises below a directory; the rest is somebody else's.
std::vector<Source> sourcesBelow(const fs::path& directory, std::span<const Importer* const> importers)
{
    std::vector<Source> sources;
    std::error_code error;
    fs::recursive_directory_iterator entry(directory, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        if (entry.depth() >= kDeepest) {
            entry.disable_recursion_pending();
        }
        std::error_code ignored;
        if (!entry->is_regular_file(ignored)) {
            continue;
        }
        if (const Importer* const importer =
                importerOf(entry->path(), headOf(entry->path(), kHeadBytes), importers)) {
            sources.push_back({entry->path(), importer});
        }
    }
    if (error) {
        throw Error(ErrorCode::Io, fmt::format("cannot list {}: {}", directory.string(), error.message()));
    }
    if (sources.empty()) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("{} holds no trace that can be read", directory.string()),
                    lookedFor(importers) + " Was the job recorded? A process leaves a native trace from its "
                                           "first CUDA, NCCL or mark call on.");
    }
    return sources;
}

Source sourceOf(const fs::path& file, std::span<const Importer* const> importers)
{
    const std::string head = headOf(file, kHeadBytes);
    if (const Importer* const importer = importerOf(file, head, importers)) {
        return {file, importer};
    }
    if (isNativeHead(head) || file.extension() == ".db") { // the reader says best what is wrong with it
        return {file};
    }
    throw Error(
        ErrorCode::Unusable,
        fmt::format("{} is {}", file.string(), head.empty() ? "empty" : "not a trace that can be read"),
        lookedFor(importers));
}

std::vector<Source> findSources(const std::vector<fs::path>& paths,
                                std::span<const Importer* const> importers)
{
    std::vector<Source> sources;
    for (const fs::path& path : paths) {
        if (!fs::exists(path)) {
            throw Error(ErrorCode::Unusable, fmt::format("{} does not exist", path.string()),
                        "Name a run directory that `ringside record` made, or a trace of another tool.");
        }
        if (!fs::is_directory(path)) {
            sources.push_back(sourceOf(path, importers));
        } else if (holdsTraces(path)) {
            sources.push_back({path, nullptr});
        } else {
            auto below = sourcesBelow(path, importers);
            std::move(below.begin(), below.end(), std::back_inserter(sources));
        }
    }
    std::ranges::sort(sources, {}, &Source::path);
    const auto samePath = [](const Source& left, const Source& right) { return left.path == right.path; };
    sources.erase(std::unique(sources.begin(), sources.end(), samePath), sources.end()); // given twice
    return sources;
}

void importSources(std::vector<Source*>& foreign, Progress& progress)
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
        try {
            source.processes = source.importer->import({source.path, threadsAFile, progress});
        } catch (const Error& error) {
            source.error = error;
        }
        for (trace::ProcessTrace& process : source.processes) {
            process.path = source.path;
        }
    });
}

/// A file that gave nothing is an issue of the run, unless it is all there is.
void reportFailures(const std::vector<Source>& sources, trace::RunTrace& run)
{
    const bool any = std::ranges::any_of(sources, [](const Source& each) { return !each.processes.empty(); });
    for (const Source& source : sources) {
        if (source.error && !any) {
            throw Error(*source.error);
        }
        if (source.error) {
            run.issues.push_back({"unreadable_file", "warning", 1, source.error->what()});
        }
    }
}

/// Which file every rank came from.
using Claims = std::map<std::int64_t, fs::path>;

void claim(Claims& claims, std::int64_t rank, const fs::path& path)
{
    const auto [entry, fresh] = claims.try_emplace(rank, path);
    if (!fresh && entry->second != path) { // a log that was appended to holds attempts
        throw Error(ErrorCode::Unusable,
                    fmt::format("rank {} is claimed by two files: {} and {}", rank, entry->second.string(),
                                path.string()),
                    "A run has one file of each rank: give the files of one recording only.");
    }
}

/// Processes of a source that do not say their rank; none of a native one, whose reader knows what to do.
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

/// The devices that are ranks of their own: where several have communicators, each of those. Else all that
/// the process does is one rank's.
std::vector<std::optional<std::int64_t>> devicesOf(const trace::ProcessTrace& process)
{
    std::set<std::int64_t> devices;
    for (const trace::CommunicatorRow& row : process.communicators) {
        if (row.device >= 0) {
            devices.insert(row.device);
        }
    }
    if (devices.size() > 1) {
        return {devices.begin(), devices.end()};
    }
    devices = {process.kernels.device.begin(), process.kernels.device.end()};
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

/// A rank for each device of a process: they are numbered in the order of files, processes and devices.
std::int64_t guessRanks(std::vector<Source>& sources, Claims& claims)
{
    std::int64_t guessed = 0;
    std::int64_t next = 0;
    const auto guess = [&](trace::ProcessTrace& process, std::optional<std::int64_t> device) {
        while (claims.contains(next)) {
            ++next;
        }
        claim(claims, next, process.path);
        addRank(process, next, device, "order of the files");
        ++guessed;
    };
    for (Source& source : sources) {
        for (trace::ProcessTrace* const process : ranklessOf(source)) {
            for (const std::optional<std::int64_t> device : devicesOf(*process)) {
                guess(*process, device);
            }
        }
    }
    return guessed;
}

/// Ranks of files that do not tell: their names, else the next free number.
void findRanks(std::vector<Source>& sources, trace::RunTrace& run)
{
    Claims claims;
    for (const Source& source : sources) {
        for (const trace::ProcessTrace& process : source.processes) {
            for (const trace::RankRow& row : process.ranks) {
                if (source.importer != nullptr) {
                    claim(claims, row.rank, process.path);
                } else { // attempts of a restarted rank have a file each
                    claims.try_emplace(row.rank, process.path);
                }
            }
        }
    }
    for (Source& source : sources) {
        const auto rankless = ranklessOf(source);
        if (rankless.size() != 1 || source.processes.size() != 1) {
            continue; // a name tells one rank
        }
        const auto devices = devicesOf(*rankless.front());
        if (const auto rank = devices.size() == 1 ? rankOfName(source.path) : std::nullopt) {
            claim(claims, *rank, source.path);
            addRank(*rankless.front(), *rank, devices.front(), "file name");
        }
    }
    const std::int64_t guessed = guessRanks(sources, claims);
    const bool alone = sources.size() == 1 && guessed == 1;
    if (guessed > 0 && !alone) {
        run.issues.push_back(
            {"rank_guessed", "warning", guessed,
             "files say neither inside nor in their names which ranks they are of: those were "
             "numbered in the order of the files, their processes and devices"});
    }
}

void nameWriters(std::vector<Source>& sources)
{
    for (Source& source : sources) {
        const auto writer = source.importer != nullptr ? writerOfName(source.path) : std::nullopt;
        for (trace::ProcessTrace& process : source.processes) {
            const std::int64_t pid = process.process.pid;
            if (!writer || (pid != 0 && pid != writer->pid)) { // a name that only looks like it
                continue;
            }
            process.process.pid = writer->pid;
            if (process.process.host.empty()) {
                process.process.host = writer->host;
            }
        }
    }
}

void noteOrigin(const std::vector<Source>& sources, trace::RunTrace& run)
{
    std::map<std::string_view, std::int64_t> files;
    for (const Source& source : sources) {
        if (source.importer != nullptr) {
            ++files[source.importer->title];
        }
    }
    for (const auto& [title, count] : files) {
        run.issues.push_back({"imported", "info", count,
                              fmt::format("{} not recorded by Ringside, but imported: {}",
                                          count == 1 ? "a file was" : "files were", title)});
    }
}

/// What a native file or directory holds, told to `progress` too. Bytes are those of chunks: nearly all.
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

bool isNative(const std::vector<fs::path>& paths)
{
    return std::ranges::all_of(paths, [](const fs::path& path) {
        return fs::is_directory(path) ? holdsTraces(path)
                                      : fs::exists(path) && isNativeHead(headOf(path, kHeadBytes));
    });
}

trace::RunTrace openRun(const std::vector<fs::path>& paths, Progress& progress,
                        std::span<const Importer* const> importers)
{
    if (paths.size() == 1 && isNative(paths)) {
        return openNative(paths.front(), progress);
    }
    std::vector<Source> sources = findSources(paths, importers);
    trace::RunTrace run;
    run.path = paths.size() == 1 ? paths.front() : paths.front().parent_path();
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
    if (!foreign.empty()) {
        importSources(foreign, progress);
        reportFailures(sources, run);
        nameWriters(sources);
        findRanks(sources, run);
        noteOrigin(sources, run);
    }
    std::vector<trace::ProcessTrace> imported;
    for (Source& source : sources) {
        std::ranges::move(source.processes,
                          std::back_inserter(source.importer != nullptr ? imported : run.processes));
    }
    if (const std::int64_t apart = useOneOrigin(imported); apart > 0) {
        run.issues.push_back({"clocks_apart", "warning", apart,
                              "files were written years apart, as their clocks say: nothing compares them"});
    }
    std::ranges::move(imported, std::back_inserter(run.processes));
    return run;
}

} // namespace ringside::importers
