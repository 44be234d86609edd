// SPDX-License-Identifier: Apache-2.0
#include "attach/job_process.h"

#include "host/other_process.h"
#include "host/process.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace ringside::attach {
namespace {

struct Candidate {
    JobProcess process;
    pid_t parent = 0;
    bool hasGpuLibrary = false;
};

/// "/usr/bin/python3 -u /home/me/train.py --lr 1" becomes "python3 train.py". Other arguments may be secret.
std::string programOf(pid_t pid)
{
    const std::string words = host::procFile(pid, "cmdline");
    const auto nameIn = [](std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); };
    std::string program;
    for (std::size_t at = 0; at < words.size();) {
        const std::size_t end = std::min(words.find('\0', at), words.size());
        const std::string_view word = std::string_view(words).substr(at, end - at);
        if (program.empty()) {
            program = nameIn(word);
        } else if (word.ends_with(".py") || word.ends_with(".sh")) {
            return program + " " + nameIn(word);
        }
        at = end + 1;
    }
    return program;
}

bool hasLoadedGpuLibrary(pid_t pid)
{
    return mapsGpuLibrary(host::procFile(pid, "maps"));
}

/// Whether a process above it has the same rank, or has loaded such a library, too.
bool isBelow(const Candidate& candidate, const std::map<pid_t, Candidate>& all, bool byLibrary)
{
    std::size_t levels = 0; // a process id that is used again meanwhile may close a circle
    for (auto above = all.find(candidate.parent); above != all.end() && levels < all.size();
         above = all.find(above->second.parent), ++levels) {
        const bool isSame = above->second.process.rank == candidate.process.rank;
        if (isSame && (!byLibrary || above->second.hasGpuLibrary)) {
            return true;
        }
    }
    return false;
}

/// Keeps the topmost processes of each rank.
std::vector<JobProcess> topmost(const std::map<pid_t, Candidate>& all, bool byRank, bool byLibrary)
{
    std::vector<JobProcess> chosen;
    for (const auto& [pid, candidate] : all) {
        const bool counts = (!byRank || candidate.process.rank) && (!byLibrary || candidate.hasGpuLibrary);
        if (counts && !isBelow(candidate, all, byLibrary)) {
            chosen.push_back(candidate.process);
        }
    }
    return chosen;
}

/// Returns what started the topmost of the processes above this one: ranks of one launcher are one job.
pid_t launcherOf(pid_t pid, const std::map<pid_t, Candidate>& all)
{
    std::size_t levels = 0;
    auto above = all.find(pid);
    for (; above != all.end() && levels < all.size(); above = all.find(pid), ++levels) {
        pid = above->second.parent;
    }
    return pid;
}

/// Adds the processes of ranks of whose job none has loaded a library, such as those that train on CPUs.
void addOtherRanks(std::vector<JobProcess>& chosen, const std::map<pid_t, Candidate>& all)
{
    std::set<std::pair<pid_t, std::optional<std::int64_t>>> ranks;
    for (const JobProcess& process : chosen) {
        ranks.emplace(launcherOf(process.pid, all), process.rank);
    }
    for (JobProcess& process : topmost(all, true, false)) {
        if (ranks.emplace(launcherOf(process.pid, all), process.rank).second) {
            chosen.push_back(std::move(process));
        }
    }
}

} // namespace

bool mapsGpuLibrary(const std::string& maps)
{
    return std::ranges::any_of(
        std::array<std::string_view, 4>{"/libcuda.so", "/libnccl.so", "/libcudart.so", "/libtorch_cuda.so"},
        [&](std::string_view name) { return maps.find(name) != std::string::npos; });
}

bool isStopped(const JobProcess& process)
{
    return process.state == 'T' || process.state == 't';
}

std::string stateText(const JobProcess& process)
{
    switch (process.state) { // proc(5)
    case 'R':
        return "running";
    case 'S':
        return "sleeping";
    case 'D':
        return "waiting for a device";
    case 'T':
    case 't':
        return "stopped";
    case 'Z':
    case 'X':
        return "ended";
    default:
        return std::string(1, process.state);
    }
}

std::optional<JobProcess> readProcess(pid_t pid)
{
    const auto stat = host::processStat(std::to_string(pid));
    if (!stat) {
        return std::nullopt;
    }
    return JobProcess{pid, host::rankIn(host::procFile(pid, "environ")), programOf(pid), stat->state};
}

std::vector<JobProcess> processesOfJob(const std::vector<pid_t>& roots)
{
    std::map<pid_t, Candidate> all;
    for (const pid_t pid : host::withDescendants(roots)) {
        const auto stat = host::processStat(std::to_string(pid));
        if (const auto process = stat ? readProcess(pid) : std::nullopt) {
            all[pid] = {*process, static_cast<pid_t>(stat->parent), hasLoadedGpuLibrary(pid)};
        }
    }
    std::vector<JobProcess> chosen = topmost(all, true, true);
    addOtherRanks(chosen, all);
    if (chosen.empty()) {
        chosen = topmost(all, false, true);
    }
    if (chosen.empty()) {
        for (const auto& [pid, candidate] : all) {
            if (std::ranges::find(roots, pid) != roots.end()) {
                chosen.push_back(candidate.process);
            }
        }
    }
    std::ranges::sort(chosen, {}, [](const JobProcess& each) { return std::tuple(each.rank, each.pid); });
    return chosen;
}

} // namespace ringside::attach
