// SPDX-License-Identifier: Apache-2.0
#include "cli/missed_ranks.h"

#include "attach/job_process.h"
#include "host/monotonic.h"
#include "host/other_process.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kSure = 2; ///< looks: on the first one, a process may have only just begun

/// musl's loader and library are one file: ld-musl-x86_64.so.1, on Debian a link to
/// x86_64-linux-musl/libc.so.
bool mapsMusl(const std::string& maps)
{
    return maps.find("/ld-musl-") != std::string::npos || maps.find("-musl/libc.so\n") != std::string::npos;
}

/// In a container, a process names its file by another number: this finds those of this process's numbers.
bool hasDatabase(const fs::path& run, pid_t pid)
{
    const std::string end = fmt::format("-{}.db", pid);
    std::error_code error;
    for (fs::directory_iterator entry(run, error), last; !error && entry != last; entry.increment(error)) {
        if (entry->path().filename().string().ends_with(end)) {
            return true;
        }
    }
    return false;
}

/// Returns "ranks 0 to 7", "ranks 2 and 3" or "rank 5".
std::string ranksText(const std::vector<std::int64_t>& ranks)
{
    constexpr std::size_t kListed = 16;
    if (ranks.size() == 1) {
        return fmt::format("rank {}", ranks.front());
    }
    const bool inSequence = ranks.back() - ranks.front() + 1 == static_cast<std::int64_t>(ranks.size());
    if (inSequence && ranks.size() > 2) {
        return fmt::format("ranks {} to {}", ranks.front(), ranks.back());
    }
    if (ranks.size() > kListed) {
        return fmt::format("{} ranks between {} and {}", ranks.size(), ranks.front(), ranks.back());
    }
    const std::vector<std::int64_t> before(ranks.begin(), ranks.end() - 1);
    return fmt::format("ranks {} and {}", fmt::join(before, ", "), ranks.back());
}

} // namespace

MissedRanks::MissedRanks(fs::path collector) : m_collector(std::move(collector))
{
    std::error_code error;
    const fs::path real = fs::canonical(m_collector, error); // maps name the file itself, not a link to it
    m_fileName = "/" + (error ? m_collector : real).filename().string() + "\n";
}

void MissedRanks::check()
{
    constexpr std::int64_t kFirstPauseNs = 400'000'000;
    constexpr std::int64_t kLongestPauseNs = 60'000'000'000;
    const std::int64_t now = host::monotonicNs();
    if (now < m_nextNs) {
        return;
    }
    m_pauseNs = m_pauseNs == 0 ? kFirstPauseNs : std::min(2 * m_pauseNs, kLongestPauseNs);
    m_nextNs = now + m_pauseNs;
    try {
        for (const pid_t pid : host::withDescendants({getpid()})) {
            if (pid != getpid()) {
                checkProcess(pid);
            }
        }
    } catch (const std::exception&) { // a failure here must not disturb the job
    }
}

void MissedRanks::checkProcess(pid_t pid)
{
    const auto reached = m_reached.find(pid);
    const bool isSure = reached != m_reached.end() && reached->second.looks >= kSure;
    const std::string environment = host::procFile(pid, "environ");
    const auto rank = host::rankIn(environment);
    if ((!rank || isSure) && namesCollector(environment)) {
        return; // reached, or no rank, as most processes; it may still become a program without the variable
    }
    const std::string maps = host::procFile(pid, "maps");
    const bool isMusl = mapsMusl(maps);
    const bool isLoaded = !isMusl && maps.find(m_fileName) != std::string::npos;
    if (isLoaded && rank) {
        ++m_reached.try_emplace(pid, Reached{*rank, 0}).first->second.looks;
    } else if (reached != m_reached.end() && !maps.empty()) {
        m_reached.erase(reached); // it was `env -u LD_PRELOAD`, before it became another program
    }
    if (isLoaded || (!rank && !attach::mapsGpuLibrary(maps))) {
        return;
    }
    Missed& missed = rank ? m_missed[*rank] : m_withoutRank[pid];
    missed.why = isMusl ? Why::NoGlibc : whyMissed(pid, environment);
    missed.program = host::procFile(pid, "comm");
    missed.program.erase(missed.program.find_last_not_of('\n') + 1);
    ++missed.looks;
}

bool MissedRanks::namesCollector(const std::string& environment) const
{
    return host::valueIn(environment, "LD_PRELOAD").value_or("").find(m_collector.string()) !=
           std::string::npos;
}

MissedRanks::Why MissedRanks::whyMissed(pid_t pid, const std::string& environment) const
{
    if (!namesCollector(environment)) {
        return Why::NoVariable;
    }
    const std::string there = fmt::format("/proc/{}/root{}", pid, m_collector.string());
    return access(there.c_str(), R_OK) != 0 ? Why::NoFile : Why::NotLoaded;
}

bool MissedRanks::isReached(std::int64_t rank, const Missed& missed, const fs::path& run) const
{
    const bool isInContainer = missed.why == Why::NoFile || missed.why == Why::NoGlibc;
    return std::ranges::any_of(m_reached, [&](const auto& process) {
        return process.second.rank == rank && (!isInContainer || hasDatabase(run, process.first));
    });
}

std::string MissedRanks::text(const fs::path& run) const
{
    std::map<std::pair<Why, std::string>, std::vector<std::int64_t>> groups;
    std::map<std::pair<Why, std::string>, int> withoutRank;
    for (const auto& [rank, missed] : m_missed) {
        if (missed.looks >= kSure && !isReached(rank, missed, run)) {
            groups[{missed.why, missed.program}].push_back(rank);
        }
    }
    for (const auto& [pid, missed] : m_withoutRank) {
        withoutRank[{missed.why, missed.program}] += missed.looks >= kSure ? 1 : 0;
    }
    std::string text;
    const auto say = [&](const std::pair<Why, std::string>& group, const std::string& who) {
        const auto& [why, program] = group;
        text += fmt::format("ringside: warning: not recorded: {} ({}): ", who, program);
        text += why == Why::NoVariable ? fmt::format("the launcher did not pass on LD_PRELOAD\n  Set the "
                                                     "variables that `ringside env` prints.\n")
                : why == Why::NoGlibc
                    ? std::string("their C library is musl, not glibc, and the collector records nothing "
                                  "there\n  Use an image with glibc (Debian, Ubuntu, RHEL and others).\n")
                : why == Why::NoFile
                    ? fmt::format("{} does not exist in their container\n  "
                                  "Mount the collector there under the same path.\n",
                                  m_collector.string())
                    : std::string("the collector is not loaded\n  Static and privileged programs ignore "
                                  "LD_PRELOAD.\n");
    };
    for (const auto& [group, ranks] : groups) {
        say(group, ranksText(ranks));
    }
    for (const auto& [group, count] : withoutRank) {
        if (count > 0) {
            say(group, fmt::format("{} process{} with CUDA or NCCL", count, count == 1 ? "" : "es"));
        }
    }
    return text;
}

} // namespace ringside::cli
