// SPDX-License-Identifier: Apache-2.0
#include "model/build_model.h"

#include "model/align_clocks.h"
#include "model/find_layout.h"
#include "model/model.h"
#include "model/run_steps.h"
#include "model/two_jobs.h"
#include "trace/read/parallel.h"
#include "trace/vocabulary/nccl_result.h"
#include "values/quantile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace ringside::model {
namespace {

// Finds which ranks a run has, and which process represents each of them.

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

/// Ranks of one process: it has one for each of its devices. Importers put all ranks of a log into one.
constexpr std::size_t kMostRanks = std::size_t{1} << 14;

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
            if (rows.size() == kMostRanks && !rows.contains(row.rank)) {
                ++m_beyond;
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
        if (m_beyond > 0) {
            m_model.issues.push_back(
                {trace::Issue::TooManyRows, m_beyond,
                 fmt::format("a process claims more than {} ranks; the further ones were left out",
                             kMostRanks)});
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
    std::int64_t m_beyond = 0;
    std::int64_t m_superseded = 0;
    std::int64_t m_unknown = 0;
};

/// Fills ranks and worldSize from the processes of model.trace. If several processes have the same rank, the
/// one of the latest attempt represents it; within one attempt, the one with the most records. If no process
/// has a rank and none communicates, as in a program on one GPU, the process with the most records becomes
/// rank 0 of 1. Processes that are left out are reported as an issue.
void findRanks(Model& model)
{
    FindRanks(model).find();
}

/// Finds the hosts of the ranks. A rank whose host the trace does not name gets a host of its own, because it
/// may have any clock.
void findHosts(Model& model)
{
    for (Rank& rank : model.ranks) {
        const trace::ProcessRow& process = model.processOf(rank).process;
        const auto known = std::find_if(model.hosts.begin(), model.hosts.end(), [&](const Host& host) {
            return !host.name.empty() && host.name == process.host && host.bootId == process.bootId;
        });
        rank.host = static_cast<std::size_t>(known - model.hosts.begin());
        if (known == model.hosts.end()) {
            Host host;
            host.name = process.host;
            host.bootId = process.bootId;
            model.hosts.push_back(host);
        }
    }
}

/// Adds an issue. If the same issue with the same text is there already, only its count grows.
void addIssue(Model& model, const trace::IssueRow& issue)
{
    const auto same = std::ranges::find_if(model.issues, [&](const trace::IssueRow& each) {
        return each.id == issue.id && each.severity == issue.severity && each.message == issue.message;
    });
    if (same == model.issues.end()) {
        model.issues.push_back(issue);
    } else {
        same->count = addCapped(same->count, issue.count);
    }
}

void collectIssues(Model& model)
{
    model.issues = model.trace.issues;
    for (const trace::ProcessTrace& process : model.trace.processes) {
        for (const trace::IssueRow& issue : process.issues) {
            addIssue(model, issue);
        }
        model.emulated = model.emulated || process.process.emulated ||
                         std::ranges::any_of(process.devices, &trace::DeviceRow::emulated);
    }
    model.imported = std::ranges::any_of(
        model.issues, [](const trace::IssueRow& issue) { return issue.is(trace::Issue::Imported); });
}

std::vector<std::string> inLowerCase(std::vector<std::string> names)
{
    for (std::string& name : names) {
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    }
    return names;
}

void noteUnusedNames(Model& model)
{
    if (model.communicationKernels.empty()) {
        return;
    }
    for (const std::string& name : unusedNames(model.trace.processes, model.communicationKernels)) {
        model.issues.push_back(
            {trace::Issue::CommunicationKernelUnused, 1,
             fmt::format("no kernel's name holds '{}', which was said to communicate", name)});
    }
}

/// Counts launches of CUDA graphs. A launch has one row for each communicator.
void countGraphLaunches(Model& model)
{
    for (std::size_t p = 0; p < model.trace.processes.size(); ++p) {
        const trace::GraphLaunchColumns& launches = model.trace.processes[p].graphLaunches;
        for (std::size_t i = 0; i < launches.size(); ++i) {
            const bool again = i > 0 && launches.launch[i] == launches.launch[i - 1];
            model.graphLaunches += !again && model.stretchTimes.holds(p, launches.startNs[i]) ? 1U : 0U;
        }
    }
}

/// Returns how many kernels begin before an earlier one of their stream has ended, by more than the steps in
/// which some GPUs count time.
std::int64_t overlappingKernels(const trace::KernelColumns& kernels)
{
    constexpr std::int64_t kClockStep = 1'000;
    std::unordered_map<std::uint64_t, std::int64_t> ends; // by device and stream
    std::int64_t count = 0;
    std::uint64_t current = 0;
    std::int64_t* end = nullptr;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const std::uint64_t stream = (std::uint64_t{kernels.device[i]} << 32U) | kernels.stream[i];
        if (end == nullptr || stream != current) {
            end = &ends.try_emplace(stream, kernels.startNs[i]).first->second;
            current = stream;
        }
        count += kernels.startNs[i] < *end - kClockStep ? 1 : 0;
        *end = std::max(*end, kernels.endNs[i]);
    }
    return count;
}

void noteOverlaps(Model& model)
{
    std::int64_t overlapping = 0;
    for (const trace::ProcessTrace& process : model.trace.processes) {
        overlapping += overlappingKernels(process.kernels);
    }
    if (overlapping > 0) {
        model.issues.push_back(
            {trace::Issue::StreamOverlap, overlapping,
             "kernels begin before an earlier one of their stream has ended (branches of a "
             "CUDA graph, or kernels that start early on purpose); the time in which "
             "several ran counts once"});
    }
}

void noteGraphs(Model& model)
{
    std::int64_t unmatched = 0;
    for (std::size_t p = 0; p < model.communication.size(); ++p) {
        unmatched +=
            std::ranges::count_if(model.communication[p].unmatchedLaunches,
                                  [&](std::int64_t startNs) { return model.stretchTimes.holds(p, startNs); });
    }
    if (unmatched > 0) {
        model.issues.push_back(
            {trace::Issue::GraphCallsUnknown, unmatched,
             "launches of CUDA graphs whose communication kernels are not one for each "
             "recorded NCCL call of the capture; they count as communication, but who came "
             "last is not known"});
    }
}

/// Returns the error (ns) of the difference between two ranks that have only CUDA event times. For each of
/// the two it is the 95th percentile of the uncertainty of its times plus the drift of the clocks over two
/// seconds.
std::int64_t eventErrorNs(const Model& model)
{
    constexpr std::int64_t kDriftNs = 20'000;
    constexpr double kShare = 0.95;
    std::int64_t largest = 0;
    for (const Rank& rank : model.ranks) {
        if (rank.eventTimes) {
            const auto& errors = model.processOf(rank).eventTimes.uncertaintyNs;
            const std::int64_t error =
                values::quantile(std::vector<std::uint32_t>(errors.begin(), errors.end()), kShare);
            largest = std::max(largest, error + kDriftNs);
        }
    }
    return 2 * largest;
}

/// Ranks with only CUDA event times have no device steps, so that they have no step metrics.
void noteEventTimes(Model& model)
{
    model.eventErrorNs = eventErrorNs(model);
    const auto ranks = std::count_if(model.ranks.begin(), model.ranks.end(),
                                     [](const Rank& rank) { return rank.eventTimes; });
    if (ranks > 0 && model.hasDeviceData()) {
        model.issues.push_back(
            {trace::Issue::EventTimesMixed, ranks,
             "ranks have times of CUDA events alone, where others have those of CUPTI: collectives to which "
             "one of them came last are in no step, and it has no breakdown"});
    }
}

/// Calls that NCCL refused, alone or with their group, moved nothing: they would count as traffic.
void leaveOutFailedCalls(Model& model)
{
    std::size_t count = 0;
    for (trace::ProcessTrace& process : model.trace.processes) {
        std::set<std::int64_t> groups;
        for (const trace::GroupRow& group : process.groups) {
            if (trace::isNcclFailure(group.result)) {
                groups.insert(group.id);
            }
        }
        count += std::erase_if(process.collectiveCalls, [&groups](const trace::CollectiveCallRow& call) {
            return trace::isNcclFailure(call.result) || (call.groupId != 0 && groups.contains(call.groupId));
        });
    }
    if (count > 0) {
        model.issues.push_back(
            {trace::Issue::FailedCalls, static_cast<std::int64_t>(count),
             "NCCL returned an error for calls: they moved no data and count in no figure"});
    }
}

} // namespace

Model buildModel(trace::RunTrace trace, const ModelOptions& options)
{
    Model model;
    model.stepsBy = options.stepsBy;
    model.stretch = options.stretch;
    model.stretchTimes = options.stretch ? StretchTimes(*options.stretch) : StretchTimes();
    model.switches = options.switches;
    model.communicationKernels = inLowerCase(options.communicationKernels);
    model.trace = std::move(trace);
    collectIssues(model);
    leaveOutFailedCalls(model);
    model.workload = workloadOf(model.trace);
    const std::vector<trace::ProcessTrace>& processes = model.trace.processes;
    model.classes.resize(processes.size());
    model.launches.resize(processes.size());
    model.communication.resize(processes.size());
    trace::parallelFor(processes.size(), trace::coreCount(), [&](std::size_t i) {
        model.classes[i] = KernelClasses(processes[i], model.communicationKernels);
        model.launches[i] = LaunchIndex(processes[i].launches);
        model.communication[i] = findCommunicationWork(processes[i], model.classes[i]);
    });
    noteGraphs(model);
    noteOverlaps(model);
    noteUnusedNames(model);
    findRanks(model);
    noteEventTimes(model);
    findHosts(model);
    MatchResult matched =
        matchCollectives(model.trace, model.ranks, model.communication, model.worldSize, model.stretchTimes);
    model.operations = std::move(matched.operations);
    model.issues.insert(model.issues.end(), matched.issues.begin(), matched.issues.end());
    const auto matchedBy = [&model](UnequalEnds unequal) {
        return matchMessages(model.trace, model.ranks, model.communication, unequal);
    };
    const bool oneClock = model.hosts.size() < 2;
    model.messages = matchedBy(oneClock ? UnequalEnds::ByTime : UnequalEnds::LeaveOut);
    alignClocks(model, options.clocks);
    if (!oneClock) {
        model.messages = matchedBy(UnequalEnds::ByTime);
    }
    findSteps(model);
    chooseSteps(model);
    countGraphLaunches(model);
    model.layout = chooseLayout(model, options.parallel);
    return model;
}

} // namespace ringside::model
