// SPDX-License-Identifier: Apache-2.0
#include "import/find_ranks.h"

#include "import/rank_names.h"
#include "trace/shell_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace ringside::importers {
namespace {

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

} // namespace

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

} // namespace ringside::importers
