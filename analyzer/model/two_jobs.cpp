// SPDX-License-Identifier: Apache-2.0
#include "model/two_jobs.h"

#include "trace/shell_word.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace ringside::model {
namespace {

/// Of communicators with several members.
std::set<std::uint64_t> hashesOf(const trace::ProcessTrace& process)
{
    std::set<std::uint64_t> hashes;
    for (const trace::CommunicatorRow& row : process.communicators) {
        if (row.size > 1 && row.hash != 0) {
            hashes.insert(row.hash);
        }
    }
    return hashes;
}

struct Span {
    std::int64_t startNs = 0; ///< CLOCK_REALTIME, which two hosts have in common
    std::int64_t endNs = 0;
};

/// Of a process that did not close its trace, until its last collective.
Span spanOf(const trace::ProcessTrace& process)
{
    std::int64_t endNs = process.process.endNs.value_or(process.process.startNs);
    if (!process.process.endNs) {
        for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
            endNs = std::max(endNs, call.endNs);
        }
    }
    if (process.clockSamples.empty()) {
        return {process.process.startNs, endNs};
    }
    const trace::ClockSampleRow& clock = process.clockSamples.front();
    const auto realtime = [&clock](std::int64_t ns) { // a hostile file's times may wrap
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(ns) +
                                         static_cast<std::uint64_t>(clock.realtimeNs) -
                                         static_cast<std::uint64_t>(clock.monotonicNs));
    };
    return {realtime(process.process.startNs), realtime(endNs)};
}

class Jobs final {
public:
    explicit Jobs(const trace::RunTrace& run) : m_run(run)
    {
        for (const trace::ProcessTrace& process : run.processes) {
            m_hashes.push_back(hashesOf(process));
        }
    }

    [[nodiscard]] bool areTwo(const Claim& a, const Claim& b) const
    {
        if (a.rank.attempt != b.rank.attempt || m_hashes[a.process].empty() || m_hashes[b.process].empty() ||
            a.rank.source == "communicator" || b.rank.source == "communicator" ||
            meet(a.process, b.process)) {
            return false;
        }
        const trace::ProcessTrace& first = m_run.processes[a.process];
        const trace::ProcessTrace& second = m_run.processes[b.process];
        const Span one = spanOf(first);
        const Span other = spanOf(second);
        const bool together = one.startNs < other.endNs && other.startNs < one.endNs;
        return together || a.rank.worldSize != b.rank.worldSize ||
               first.process.command != second.process.command;
    }

    /// The files of the job of a process: those that meet in a communicator, directly or through others.
    [[nodiscard]] std::string filesOf(std::size_t process) const
    {
        std::set<std::uint64_t> met = m_hashes[process];
        std::set<std::size_t> members{process};
        for (std::size_t before = 0; before != members.size();) {
            before = members.size();
            for (std::size_t p = 0; p < m_hashes.size(); ++p) {
                if (std::ranges::any_of(m_hashes[p],
                                        [&](std::uint64_t hash) { return met.contains(hash); })) {
                    members.insert(p);
                    met.insert(m_hashes[p].begin(), m_hashes[p].end());
                }
            }
        }
        std::vector<std::filesystem::path> files;
        for (const std::size_t member : members) {
            files.push_back(m_run.processes[member].path);
        }
        return trace::shellWords(files);
    }

    [[nodiscard]] bool meet(std::size_t a, std::size_t b) const
    {
        return std::ranges::any_of(m_hashes[a],
                                   [&](std::uint64_t hash) { return m_hashes[b].contains(hash); });
    }

private:
    const trace::RunTrace& m_run;
    std::vector<std::set<std::uint64_t>> m_hashes; ///< of each process
};

std::string nameOf(const trace::ProcessTrace& process, const trace::RankRow& rank)
{
    return fmt::format("{} ({}{})", process.path.filename().string(), process.process.command,
                       rank.worldSize ? fmt::format(", {} ranks", *rank.worldSize) : "");
}

std::string programName(const trace::ProcessTrace& process)
{
    const auto role = std::ranges::find_if(process.settings, [](const trace::SettingRow& row) {
        return row.source == "environment" && row.name == "RINGSIDE_ROLE" && !row.value.empty();
    });
    if (role != process.settings.end()) {
        return role->value;
    }
    const std::string& command = process.process.command; // "python3 /path/train.py", "/path/program"
    return command.substr(std::min(command.find_last_of("/ ") + 1, command.size()));
}

/// Returns true if one process of the program cannot be of the same job as `process`.
bool contradicts(const Jobs& jobs, const trace::RunTrace& run, const Program& program, std::size_t process)
{
    const auto areTwo = [&](std::size_t other) {
        for (const trace::RankRow& mine : run.processes[process].ranks) {
            for (const trace::RankRow& theirs : run.processes[other].ranks) {
                if (mine.rank == theirs.rank && jobs.areTwo({process, mine}, {other, theirs})) {
                    return true;
                }
            }
        }
        return false;
    };
    return std::ranges::any_of(program.processes, areTwo);
}

} // namespace

std::vector<Program> programsOf(const trace::RunTrace& run)
{
    const Jobs jobs(run);
    std::map<std::string, std::vector<Program>> programs;
    for (std::size_t p = 0; p < run.processes.size(); ++p) {
        const std::string name = programName(run.processes[p]);
        std::vector<Program>& same = programs[name];
        auto found = std::ranges::find_if(same, [&](const Program& each) {
            return std::ranges::any_of(each.processes,
                                       [&](std::size_t other) { return jobs.meet(p, other); });
        });
        found = found != same.end() ? found : std::ranges::find_if(same, [&](const Program& each) {
            return !contradicts(jobs, run, each, p);
        });
        if (found == same.end()) {
            same.push_back({name, {}});
            found = std::prev(same.end());
        }
        found->processes.push_back(p);
    }
    std::vector<Program> all;
    for (auto& [name, same] : programs) {
        for (std::size_t i = 0; i < same.size(); ++i) {
            same[i].name += i > 0 ? fmt::format(" {}", i + 1) : "";
            all.push_back(std::move(same[i]));
        }
    }
    return all;
}

void refuseTwoJobs(const trace::RunTrace& run, const std::vector<Claim>& claims)
{
    const Jobs jobs(run);
    std::map<std::int64_t, std::vector<const Claim*>> byRank;
    for (const Claim& claim : claims) {
        std::vector<const Claim*>& others = byRank[claim.rank.rank];
        for (const Claim* const other : others) {
            if (jobs.areTwo(*other, claim)) {
                throw Error(
                    ErrorCode::Unusable,
                    fmt::format(
                        "{} holds two jobs: {} and {} are both rank {}, and have no communicator in common",
                        run.path.string(), nameOf(run.processes[other->process], other->rank),
                        nameOf(run.processes[claim.process], claim.rank), claim.rank.rank),
                    fmt::format(
                        "`ringside roles` shows how they share the time. Give the files of one of them: "
                        "{}; or {}",
                        jobs.filesOf(other->process), jobs.filesOf(claim.process)));
            }
        }
        others.push_back(&claim);
    }
}

} // namespace ringside::model
