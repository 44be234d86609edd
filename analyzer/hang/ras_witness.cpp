// SPDX-License-Identifier: Apache-2.0
#include "hang/ras_witness.h"

#include "words/ras_witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace ringside::hang {
namespace {

namespace ras_text = words::ras_witness;
using RankSet = std::set<std::int64_t>;

/// Translates ranks of communicators into ranks of the run.
class RankTable final {
public:
    RankTable(const Report& report, const std::vector<RasMember>& members)
    {
        for (const RasMember& member : members) {
            if (member.ncclHash) {
                m_ranks[*member.ncclHash].emplace(member.communicatorRank, member.rank);
            }
        }
        for (const RankReport& rank : report.ranks) {
            m_processes[rank.pid].insert(rank.rank);
        }
    }
    /// By the communicator, else by the process if no other host has one of that number.
    [[nodiscard]] std::optional<std::int64_t> rankOf(std::uint64_t communicator, const RasRank& rank) const
    {
        const auto known = m_ranks.find(communicator);
        if (known != m_ranks.end() && known->second.contains(rank.rank)) {
            return known->second.at(rank.rank);
        }
        return rank.pid ? rankOfPid(*rank.pid) : std::nullopt;
    }
    [[nodiscard]] std::optional<std::int64_t> rankOfPid(std::int64_t pid) const
    {
        const auto found = m_processes.find(pid);
        return found != m_processes.end() && found->second.size() == 1 ? std::optional(*found->second.begin())
                                                                       : std::nullopt;
    }
    [[nodiscard]] bool knows(std::int64_t pid) const { return m_processes.contains(pid); }
    [[nodiscard]] bool knowsCommunicator(std::uint64_t hash) const { return m_ranks.contains(hash); }
    [[nodiscard]] RankSet membersOf(std::uint64_t hash) const
    {
        RankSet members;
        if (const auto known = m_ranks.find(hash); known != m_ranks.end()) {
            for (const auto& [communicatorRank, rank] : known->second) {
                members.insert(rank);
            }
        }
        return members;
    }

private:
    std::map<std::uint64_t, std::map<std::int64_t, std::int64_t>> m_ranks;
    std::map<std::int64_t, RankSet> m_processes;
};

/// The groups of one function in a communicator, by what they launched, in the ranks of the run.
struct Group {
    std::uint64_t launched = 0;
    RankSet ranks;
    bool complete = false; ///< all its ranks are known
};

std::map<std::string, std::vector<Group>> groupsOf(const RasCommunicator& communicator,
                                                   const RankTable& table)
{
    std::map<std::string, std::vector<Group>> functions;
    for (const RasCounts& counts : communicator.counts) {
        Group group{counts.launched, {}, false};
        for (const RasRank& rank : counts.known) {
            if (const auto known = table.rankOf(communicator.hash, rank)) {
                group.ranks.insert(*known);
            }
        }
        group.complete = group.ranks.size() == counts.ranks;
        functions[counts.function].push_back(std::move(group));
    }
    for (auto& [function, groups] : functions) {
        const auto open = [](const Group& group) { return !group.complete; };
        const RankSet members = table.membersOf(communicator.hash);
        if (std::ranges::count_if(groups, open) == 1 && !members.empty()) { // the one that a text leaves out
            Group& rest = *std::ranges::find_if(groups, open);
            rest.ranks = members;
            for (const Group& group : groups) {
                if (&group != &rest) {
                    std::ranges::for_each(group.ranks, [&](std::int64_t rank) { rest.ranks.erase(rank); });
                }
            }
            rest.complete = true;
        }
        std::ranges::sort(groups, {}, &Group::launched);
    }
    return functions;
}

std::string nameOf(const RasCommunicator& communicator)
{
    return fmt::format("{:016x}", communicator.hash);
}

std::string lineOf(const RasCommunicator& communicator, const std::string& function,
                   const std::vector<Group>& groups)
{
    std::string text = fmt::format("communicator {:016x}, {}:", communicator.hash, function);
    for (const Group& group : groups) {
        const std::string who = group.ranks.empty() ? "others"
                                                    : rankList({group.ranks.begin(), group.ranks.end()}) +
                                                          (group.complete ? "" : " and others");
        text += fmt::format("{} {} launched {}", &group == &groups.front() ? "" : ",", who, group.launched);
    }
    return text;
}

/// What one communicator shows.
struct Finding {
    Kind kind = Kind::Nothing;
    RankSet blamed;
    words::Text summary;
    std::vector<std::string> lines;
};

/// Ranks behind in every function whose counts differ are missing. If no rank is behind in all of them, some
/// called another function: the smallest group did.
void judgeCounts(const std::map<std::string, std::vector<Group>>& functions, Finding& finding)
{
    std::optional<RankSet> behind;
    const Group* smallest = nullptr;
    for (const auto& [function, groups] : functions) {
        const Group& least = groups.front();
        RankSet both;
        if (behind) {
            std::ranges::set_intersection(*behind, least.ranks, std::inserter(both, both.end()));
        }
        behind = behind ? both : least.ranks;
        for (const Group& group : groups) {
            const bool fewer = smallest == nullptr || group.ranks.size() < smallest->ranks.size();
            smallest = group.complete && fewer ? &group : smallest;
        }
    }
    const bool mismatch = behind->empty() && functions.size() > 1;
    finding.kind = mismatch ? Kind::Mismatch : Kind::Missing;
    finding.blamed = mismatch && smallest != nullptr ? smallest->ranks : *behind;
}

Finding judge(const RasCommunicator& communicator, const RankTable& table)
{
    Finding finding;
    const auto functions = groupsOf(communicator, table);
    for (const auto& [function, groups] : functions) {
        finding.lines.push_back(lineOf(communicator, function, groups));
    }
    if (!functions.empty()) {
        judgeCounts(functions, finding);
        finding.summary = say(ras_text::counts_differ, {{"communicator", nameOf(communicator)}});
    }
    if (!communicator.silent.empty()) {
        finding.kind = Kind::Missing;
        finding.blamed.clear();
        for (const RasRank& rank : communicator.silent) {
            const auto known = table.rankOf(communicator.hash, rank);
            known ? static_cast<void>(finding.blamed.insert(*known)) : void();
            finding.lines.push_back(fmt::format("communicator {:016x}: its rank {} does not answer",
                                                communicator.hash, rank.rank));
        }
        finding.summary = say(ras_text::members_silent, {{"number", communicator.silent.size()},
                                                         {"communicator", nameOf(communicator)}});
    }
    return finding;
}

/// The communicator that the report names first, as NCCL calls it.
std::optional<std::uint64_t> firstCommunicator(const Report& report, const std::vector<RasMember>& members)
{
    const auto member = std::ranges::find_if(members, [&](const RasMember& each) {
        return !report.collectives.empty() && each.hash == report.collectives.front().communicator;
    });
    return member != members.end() ? member->ncclHash : std::nullopt;
}

bool isOfAnotherJob(const RasAnswer& answer, const RankTable& table)
{
    const auto known = [&](std::int64_t pid) { return table.knows(pid); };
    const auto knownToo = [&](const RasCommunicator& each) { return table.knowsCommunicator(each.hash); };
    return !answer.pids.empty() && std::ranges::none_of(answer.pids, known) &&
           std::ranges::none_of(answer.communicators, knownToo);
}

void addFindings(const RasAnswer& answer, const RankTable& table, std::optional<std::uint64_t> first,
                 Witness& witness)
{
    for (const RasCommunicator& communicator : answer.communicators) {
        Finding finding = judge(communicator, table);
        witness.details.insert(witness.details.end(), finding.lines.begin(), finding.lines.end());
        if (finding.kind != Kind::Nothing && (witness.summary.empty() || communicator.hash == first)) {
            witness.kind = finding.kind;
            witness.blamed.assign(finding.blamed.begin(), finding.blamed.end());
            witness.summary = std::move(finding.summary);
        }
    }
    for (const std::int64_t pid : answer.silentPids) {
        const auto rank = table.rankOfPid(pid);
        witness.details.push_back(rank ? fmt::format("rank {} (process {}) does not answer", *rank, pid)
                                       : fmt::format("process {} does not answer", pid));
        if (witness.summary.empty() && rank) {
            witness.kind = Kind::Missing;
            witness.blamed.push_back(*rank);
        }
    }
    constexpr std::size_t kMostLines = 32;
    if (const std::size_t lines = witness.details.size(); lines > kMostLines) {
        witness.details.resize(kMostLines);
        witness.details.push_back(fmt::format("and {} more lines", lines - kMostLines));
    }
}

} // namespace

std::vector<RasMember> rasMembers(const trace::RunTrace& run)
{
    std::vector<RasMember> members;
    for (const trace::ProcessTrace& process : run.processes) {
        for (const trace::CommunicatorRow& row : process.communicators) {
            const auto rank = std::ranges::find_if(process.ranks, [&](const trace::RankRow& each) {
                return process.ranks.size() == 1 || (each.device && *each.device == row.device);
            });
            if (rank != process.ranks.end()) {
                members.push_back({row.hash, row.ncclHash, row.rank, rank->rank});
            }
        }
    }
    return members;
}

Witness rasWitness(const RasAnswer& answer, const Report& report, const std::vector<RasMember>& members)
{
    Witness witness;
    witness.source = kRasSource;
    witness.title = kRasTitle;
    const RankTable table(report, members);
    if (isOfAnotherJob(answer, table)) {
        witness.notAvailable = "another job of this host answered";
        return witness;
    }
    addFindings(answer, table, firstCommunicator(report, members), witness);
    if (witness.summary.empty()) {
        const bool silent = !witness.blamed.empty();
        witness.summary = silent ? say(ras_text::ranks_silent, {{"ranks", witness.blamed}})
                                 : words::Text(ras_text::all_the_same);
        // RAS does not see whether they wait; that they launched the same is what it says of a job that does.
        const bool waits = report.kind != Kind::Nothing && report.kind != Kind::Died;
        witness.kind = silent ? Kind::Missing : waits ? Kind::Waiting : Kind::Nothing;
    }
    for (const RankReport& rank : report.ranks) {
        witness.heard.push_back(rank.rank);
    }
    return witness;
}

} // namespace ringside::hang
