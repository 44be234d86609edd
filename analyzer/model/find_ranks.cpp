// SPDX-License-Identifier: Apache-2.0
#include "model/find_ranks.h"

#include "model/two_jobs.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ringside::model {
namespace {

/// Returns the ranks of a process. If it has no rank rows because it was killed, its ranks in its largest
/// communicator are used.
std::vector<trace::RankRow> ranksOf(const trace::ProcessTrace& process)
{
    if (!process.ranks.empty()) {
        return process.ranks;
    }
    const auto largest = std::max_element(process.communicators.begin(), process.communicators.end(),
                                          [](const auto& a, const auto& b) { return a.size < b.size; });
    std::vector<trace::RankRow> rows;
    for (const trace::CommunicatorRow& member : process.communicators) {
        const bool same = member.hash == largest->hash && member.hash != 0; // 0 if the hash is not known
        if (!same && &member != &*largest) {
            continue;
        }
        trace::RankRow row;
        row.rank = member.rank;
        row.worldSize = member.size;
        row.source = "communicator";
        if (member.device >= 0) {
            row.device = member.device;
        }
        rows.push_back(row);
    }
    return rows;
}

/// Returns whether a row of event_time says when the call ran, and not only how long it took.
bool isBounded(std::uint32_t uncertaintyNs)
{
    return uncertaintyNs != trace::kUnboundedNs;
}

/// Returns how much a process did. The program itself has more records than a helper that it started with the
/// same environment.
std::size_t recordsOf(const trace::ProcessTrace& process)
{
    return process.kernels.size() + process.copies.size() + process.apiCalls.size() +
           process.collectiveCalls.size();
}

bool isPlausible(const trace::RankRow& row)
{
    constexpr std::int64_t kLargestRank = 100'000'000;
    return row.rank >= 0 && row.rank <= kLargestRank && row.worldSize.value_or(0) <= kLargestRank;
}

class FindRanks final {
public:
    explicit FindRanks(Model& model) : m_model(model) {}

    void find()
    {
        for (std::size_t p = 0; p < m_model.trace.processes.size(); ++p) {
            addProcess(p);
        }
        refuseTwoJobs(m_model.trace, m_claims);
        if (m_byRank.empty() && m_implausible == 0 && !anyCommunicates()) {
            takeOneProcess();
        }
        for (auto& [number, candidate] : m_byRank) {
            m_model.ranks.push_back(std::move(candidate.rank));
        }
        noteLeftOut();
    }

private:
    struct Candidate {
        std::int64_t attempt = 0;
        std::size_t records = 0;
        Rank rank;
        [[nodiscard]] bool isBefore(const Candidate& other) const
        {
            return std::tie(attempt, records) < std::tie(other.attempt, other.records);
        }
    };

    void addProcess(std::size_t index)
    {
        std::map<std::int64_t, trace::RankRow> rows;
        for (const trace::RankRow& row : ranksOf(m_model.trace.processes[index])) {
            if (!isPlausible(row)) {
                ++m_implausible;
                continue;
            }
            const auto [entry, fresh] = rows.try_emplace(row.rank, row);
            if (!fresh && row.attempt > entry->second.attempt) {
                entry->second = row;
            }
        }
        for (const auto& [number, row] : rows) {
            addRank(index, row, rows.size() > 1);
            m_claims.push_back({index, row});
        }
    }

    void addRank(std::size_t index, const trace::RankRow& row, bool oneOfSeveral)
    {
        const trace::ProcessTrace& process = m_model.trace.processes[index];
        Candidate candidate{row.attempt, recordsOf(process), {}};
        Rank& rank = candidate.rank;
        rank.rank = row.rank;
        rank.process = index;
        if (oneOfSeveral && row.device) {
            rank.device = static_cast<std::uint32_t>(*row.device);
        }
        rank.deviceTier = process.kernels.size() + process.copies.size() > 0;
        rank.eventTimes = !rank.deviceTier && std::any_of(process.eventTimes.uncertaintyNs.begin(),
                                                          process.eventTimes.uncertaintyNs.end(), isBounded);
        m_model.worldSize = std::max({m_model.worldSize, row.worldSize.value_or(0), row.rank + 1});
        const auto [entry, fresh] = m_byRank.try_emplace(row.rank, candidate);
        m_superseded += fresh ? 0 : 1;
        if (!fresh && entry->second.isBefore(candidate)) {
            entry->second = std::move(candidate);
        }
    }

    /// Returns whether any process made collective calls. Such a process is a rank of a job, even if its
    /// number is not known.
    [[nodiscard]] bool anyCommunicates() const
    {
        return std::ranges::any_of(m_model.trace.processes, [](const trace::ProcessTrace& process) {
            return !process.collectiveCalls.empty();
        });
    }

    void takeOneProcess()
    {
        const auto& processes = m_model.trace.processes;
        for (std::size_t p = 0; p < processes.size(); ++p) {
            addRank(p, trace::RankRow{}, false);
        }
        m_unknown = m_superseded;
        m_superseded = 0;
    }

    void noteLeftOut()
    {
        if (m_implausible > 0) {
            m_model.issues.push_back({trace::Issue::ImplausibleRank, m_implausible,
                                      "rows name ranks or world sizes that no job has; they were left out"});
        }
        if (m_superseded > 0) {
            m_model.issues.push_back(
                {trace::Issue::RankRestarted, m_superseded,
                 "a rank has traces of several processes; only that of its latest attempt is "
                 "analyzed, and of one attempt the one that did most"});
        }
        if (m_unknown > 0) {
            m_model.issues.push_back(
                {trace::Issue::RankUnknown, m_unknown,
                 "processes do not say which rank they are; only the one that did most is "
                 "analyzed, as rank 0 of 1. If they are one job, set RANK and WORLD_SIZE for "
                 "each; if not, record each by itself"});
        }
    }

    Model& m_model;
    std::map<std::int64_t, Candidate> m_byRank;
    std::vector<Claim> m_claims;
    std::int64_t m_implausible = 0;
    std::int64_t m_superseded = 0;
    std::int64_t m_unknown = 0;
};

} // namespace

void findRanks(Model& model)
{
    FindRanks(model).find();
}

} // namespace ringside::model
