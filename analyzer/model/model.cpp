// SPDX-License-Identifier: Apache-2.0
#include "model/model.h"

#include "model/clock_alignment.h"
#include "model/find_ranks.h"
#include "model/run_steps.h"
#include "trace/read/parallel.h"
#include "values/quantile.h"

#include <fmt/format.h>

#include <cctype>
#include <limits>
#include <map>
#include <set>

namespace ringside::model {
namespace {

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

/// Returns CLOCK_REALTIME minus CLOCK_MONOTONIC (ns) of a process's first clock sample, or null if it has
/// none.
std::optional<std::int64_t> realtimeShift(const trace::ProcessTrace& process)
{
    if (process.clockSamples.empty()) {
        return std::nullopt;
    }
    return process.clockSamples.front().realtimeNs - process.clockSamples.front().monotonicNs;
}

void addSwaps(const Model& model, const std::vector<Swap>& swaps, std::size_t reference, std::size_t other,
              std::vector<ClockMatch>& matches)
{
    for (const Swap& swap : swaps) {
        const std::size_t first = model.ranks[swap.first.rank].host;
        const std::size_t second = model.ranks[swap.second.rank].host;
        if ((first == reference && second == other) || (first == other && second == reference)) {
            const Interval& ours = first == reference ? *swap.first.device : *swap.second.device;
            const Interval& theirs = first == reference ? *swap.second.device : *swap.first.device;
            matches.push_back({ours.start, ours.end, ours.end, theirs.start, theirs.end, theirs.end});
        }
    }
}

std::vector<ClockMatch> matchesBetween(const Model& model, const std::vector<Swap>& swaps,
                                       std::size_t reference, std::size_t other)
{
    std::vector<ClockMatch> matches;
    addSwaps(model, swaps, reference, other, matches);
    for (const Operation& operation : model.operations) {
        if (!everyRankDependsOnEveryOther(operation.kind) || !operation.measured()) {
            continue;
        }
        constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
        constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
        ClockMatch match{kLow, kHigh, kLow, kLow, kHigh, kLow};
        for (const Participant& part : operation.participants) {
            const std::size_t host = model.ranks[part.rank].host;
            if (host == reference) {
                match.referenceLastStart = std::max(match.referenceLastStart, part.device->start);
                match.referenceFirstEnd = std::min(match.referenceFirstEnd, part.device->end);
                match.referenceLastEnd = std::max(match.referenceLastEnd, part.device->end);
            } else if (host == other) {
                match.otherLastStart = std::max(match.otherLastStart, part.device->start);
                match.otherFirstEnd = std::min(match.otherFirstEnd, part.device->end);
                match.otherLastEnd = std::max(match.otherLastEnd, part.device->end);
            }
        }
        if (match.referenceLastEnd != kLow && match.otherLastEnd != kLow) {
            matches.push_back(match);
        }
    }
    return matches;
}

/// Ranks of one host share its clock, so that no alignment error lies between them. How far the ends of a
/// collective lie apart on the host shows how well ends are suited for alignment.
void measureOwnResidual(Model& model, std::size_t host)
{
    std::vector<std::int64_t> spreads;
    for (const Operation& operation : model.operations) {
        if (!everyRankDependsOnEveryOther(operation.kind) || !operation.measured()) {
            continue;
        }
        std::vector<std::int64_t> ends;
        for (const Participant& part : operation.participants) {
            if (model.ranks[part.rank].host == host) {
                ends.push_back(part.device->end);
            }
        }
        if (ends.size() >= 2) {
            const auto [low, high] = std::minmax_element(ends.begin(), ends.end());
            spreads.push_back(*high - *low);
        }
    }
    model.hosts[host].boundNs = 0;
    if (!spreads.empty()) {
        model.hosts[host].residualNs = values::quantile(spreads, 0.95);
    }
}

/// Until all hosts are aligned, the begin of the reference host is run time 0.
ClockMap referenceMap(std::int64_t origin)
{
    return {origin, 0, 0.0};
}

/// Returns the begin of the earliest process, which becomes run time 0. Hosts that are not aligned and lie
/// more than a day off (their clock was never set) are ignored.
std::int64_t earliestBegin(const Model& model, const std::vector<ClockMap>& maps)
{
    constexpr std::int64_t kFarthestNs = 86'400'000'000'000;
    std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
    for (const Rank& rank : model.ranks) {
        const std::int64_t begin = maps[rank.host].toRun(model.processOf(rank).process.startNs);
        if (model.hosts[rank.host].boundNs || std::abs(begin) <= kFarthestNs) {
            earliest = std::min(earliest, begin);
        }
    }
    return earliest;
}

std::string hostText(const Model& model, std::size_t host)
{
    if (!model.hosts[host].name.empty()) {
        return "host " + model.hosts[host].name;
    }
    const auto rank = std::ranges::find(model.ranks, host, &Rank::host);
    return fmt::format("the unknown host of rank {}", rank->rank);
}

/// Aligns a host with one that is aligned already. Errors add up on the way to the reference. Returns null if
/// no collective or message ties the two hosts together.
std::optional<ClockMap> alignTo(Model& model, std::size_t index, std::size_t to, const ClockMap& itsMap,
                                const std::vector<Swap>& swaps)
{
    const auto fit = fitClock(matchesBetween(model, swaps, to, index));
    if (!fit) {
        return std::nullopt;
    }
    const Host& via = model.hosts[to];
    Host& host = model.hosts[index];
    host.offsetNs = addCapped(via.offsetNs, fit->offsetNs);
    host.drift = via.drift + fit->drift;
    host.residualNs = to == 0 ? fit->residualNs : addCapped(fit->residualNs, via.residualNs.value_or(0));
    host.boundNs = addCapped(fit->boundNs, via.boundNs.value_or(0));
    return ClockMap{fit->originNs + fit->offsetNs, itsMap.toRun(fit->originNs), host.drift};
}

using HostPairs = std::set<std::pair<std::size_t, std::size_t>>;

/// Returns the pairs of hosts that have a measured collective or a swap in common. Only the first measured
/// operation of each communicator is looked at.
HostPairs hostsThatMet(const Model& model, const std::vector<Swap>& swaps)
{
    HostPairs met;
    std::set<std::uint64_t> seen;
    for (const Operation& operation : model.operations) {
        if (!operation.measured() || !seen.insert(operation.communicator).second) {
            continue;
        }
        std::set<std::size_t> hosts;
        for (const Participant& part : operation.participants) {
            hosts.insert(model.ranks[part.rank].host);
        }
        for (const std::size_t host : hosts) {
            for (const std::size_t other : hosts) {
                met.emplace(host, other);
            }
        }
    }
    for (const Swap& swap : swaps) {
        met.emplace(model.ranks[swap.first.rank].host, model.ranks[swap.second.rank].host);
        met.emplace(model.ranks[swap.second.rank].host, model.ranks[swap.first.rank].host);
    }
    return met;
}

/// Aligns the hosts that have operations in common with the reference, then those that have some in common
/// with one of these, and so on. The map of a host that is not reached is null.
std::vector<std::optional<ClockMap>> alignHosts(Model& model, std::int64_t origin)
{
    const std::vector<Swap> swaps = findSwaps(model.messages);
    const HostPairs met = hostsThatMet(model, swaps);
    std::vector<std::optional<ClockMap>> maps(model.hosts.size());
    maps.front() = referenceMap(origin);
    std::vector<std::size_t> reached{0};
    for (std::size_t i = 0; i < reached.size(); ++i) {
        for (std::size_t host = 1; host < maps.size(); ++host) {
            if (!maps[host] && met.contains({reached[i], host})) {
                maps[host] = alignTo(model, host, reached[i], *maps[reached[i]], swaps);
                if (maps[host]) {
                    reached.push_back(host);
                }
            }
        }
    }
    return maps;
}

ClockMap timeOfDayMap(Model& model, std::size_t index, const trace::ProcessTrace& reference,
                      const trace::ProcessTrace& own, std::int64_t origin)
{
    Host& host = model.hosts[index];
    const auto ownShift = realtimeShift(own);
    const auto referenceShift = realtimeShift(reference);
    if (ownShift && referenceShift) {
        host.offsetNs = *referenceShift - *ownShift;
    }
    model.issues.push_back(
        {trace::Issue::ClockUnaligned, 1,
         fmt::format("no matched collective or message ties {} to {}: their clocks are compared by "
                     "the time of day, whose error is not known",
                     hostText(model, index), hostText(model, 0))});
    return {origin + host.offsetNs, 0, 0.0};
}

/// Sets the clocks that were fitted to the whole run. Returns false if a host is not among them.
bool setClocks(Model& model, const std::vector<HostClock>& clocks)
{
    std::vector<const HostClock*> found;
    for (const Host& host : model.hosts) {
        const auto clock = std::ranges::find_if(clocks, [&](const HostClock& each) {
            return !host.name.empty() && each.host == host.name && each.bootId == host.bootId;
        });
        if (clock == clocks.end()) {
            return false;
        }
        found.push_back(&*clock);
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        Host& host = model.hosts[i];
        host.offsetNs = found[i]->offsetNs;
        host.drift = found[i]->drift;
        host.residualNs = found[i]->residualNs;
        host.boundNs = found[i]->boundNs;
    }
    for (Rank& rank : model.ranks) {
        rank.clock = found[rank.host]->map;
        rank.clockAligned = model.hosts[rank.host].boundNs.has_value();
    }
    return true;
}

void setStart(Model& model)
{
    const Rank& rank = model.ranks.front();
    if (const auto shift = realtimeShift(model.processOf(rank))) {
        // run time 0 on the reference host's clock, which has no drift
        model.startedRealtimeNs = rank.clock.localReference - rank.clock.runReference + *shift;
    }
}

void alignClocks(Model& model, const std::vector<HostClock>& clocks)
{
    if (model.ranks.empty()) {
        return;
    }
    if (!clocks.empty() && setClocks(model, clocks)) {
        setStart(model);
        return;
    }
    const trace::ProcessTrace& reference = model.processOf(model.ranks.front());
    std::vector<const trace::ProcessTrace*> firstOf(model.hosts.size(), nullptr);
    std::int64_t origin = std::numeric_limits<std::int64_t>::max();
    for (const Rank& rank : model.ranks) {
        const trace::ProcessTrace& process = model.processOf(rank);
        firstOf[rank.host] = firstOf[rank.host] == nullptr ? &process : firstOf[rank.host];
        if (rank.host == 0) {
            origin = std::min(origin, process.process.startNs);
        }
    }
    measureOwnResidual(model, 0);
    const std::vector<std::optional<ClockMap>> aligned = alignHosts(model, origin);
    std::vector<ClockMap> maps;
    for (std::size_t host = 0; host < model.hosts.size(); ++host) {
        maps.push_back(aligned[host] ? *aligned[host]
                                     : timeOfDayMap(model, host, reference, *firstOf[host], origin));
    }
    const std::int64_t begin = earliestBegin(model, maps);
    for (ClockMap& map : maps) {
        map.runReference -= begin;
    }
    for (Rank& rank : model.ranks) {
        rank.clock = maps[rank.host];
        rank.clockAligned = model.hosts[rank.host].boundNs.has_value();
    }
    setStart(model);
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
            model.graphLaunches += !again && model.isOfStretch(p, launches.startNs[i]) ? 1U : 0U;
        }
    }
}

void noteGraphs(Model& model)
{
    std::int64_t unmatched = 0;
    for (const CommunicationWork& work : model.communication) {
        unmatched += work.unmatchedLaunches;
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

/// Returns the sum of the two largest errors of all hosts other than the reference. Returns null if a host
/// has no bound, which means that it was not aligned.
std::optional<std::int64_t> sumOfTwoLargest(const std::vector<Host>& hosts,
                                            std::optional<std::int64_t> Host::*error)
{
    std::int64_t largest = 0;
    std::int64_t second = 0;
    for (std::size_t i = 1; i < hosts.size(); ++i) {
        if (!hosts[i].boundNs) {
            return std::nullopt;
        }
        const std::int64_t ns = (hosts[i].*error).value_or(0);
        second = std::max(second, std::min(largest, ns));
        largest = std::max(largest, ns);
    }
    return largest + second;
}

} // namespace

std::optional<std::int64_t> Model::clockErrorNs() const
{
    const auto residual = sumOfTwoLargest(hosts, &Host::residualNs);
    return residual ? std::optional(addCapped(*residual, eventErrorNs)) : std::nullopt;
}

std::optional<std::int64_t> Model::clockBoundNs() const
{
    return sumOfTwoLargest(hosts, &Host::boundNs);
}

std::optional<std::int64_t> Model::clockResidualNs() const
{
    std::optional<std::int64_t> largest;
    for (const Host& host : hosts) {
        if (host.residualNs) {
            largest = std::max(largest.value_or(0), *host.residualNs);
        }
    }
    return largest;
}

bool Model::isOfStretch(const Operation& operation) const
{
    if (stretchTimes.empty() || operation.participants.empty()) {
        return true;
    }
    return isOfStretch(ranks[operation.participants.front().rank].process, operation.calledNs);
}

bool Model::hasDeviceData() const
{
    return std::any_of(ranks.begin(), ranks.end(), [](const Rank& rank) { return rank.deviceTier; });
}

bool Model::hasEventTimes() const
{
    return std::any_of(ranks.begin(), ranks.end(), [](const Rank& rank) { return rank.eventTimes; });
}

Model buildModel(trace::RunTrace trace, const ModelOptions& options)
{
    Model model;
    model.stepsBy = options.stepsBy;
    model.stretch = options.stretch;
    model.switches = options.switches;
    model.communicationKernels = inLowerCase(options.communicationKernels);
    model.trace = std::move(trace);
    collectIssues(model);
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
    noteUnusedNames(model);
    findRanks(model);
    noteEventTimes(model);
    findHosts(model);
    MatchResult matched =
        matchCollectives(model.trace, model.ranks, model.communication, model.worldSize, model.stretch);
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
    model.layout = options.parallel.isGiven() ? givenLayout(model, options.parallel) : findLayout(model);
    return model;
}

} // namespace ringside::model
