// SPDX-License-Identifier: Apache-2.0
#include "model/align_clocks.h"

#include "model/clock_alignment.h"
#include "values/quantile.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace ringside::model {
namespace {

/// Returns CLOCK_REALTIME minus CLOCK_MONOTONIC (ns) of a process's first clock sample, or null if it has
/// none.
std::optional<std::int64_t> realtimeShift(const trace::ProcessTrace& process)
{
    if (process.clockSamples.empty()) {
        return std::nullopt;
    }
    return process.clockSamples.front().realtimeNs - process.clockSamples.front().monotonicNs;
}

/// Whether the ends of the operation can be compared. Ranks that were not recorded do not matter, as those
/// that were wait for each other all the same.
bool tiesClocks(const Operation& operation)
{
    return everyRankDependsOnEveryOther(operation.kind) && !operation.mismatched &&
           (operation.groupKnown || operation.complete()) && operation.participants.size() >= 2 &&
           std::ranges::all_of(operation.participants,
                               [](const Participant& part) { return part.device.has_value(); });
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
        if (!tiesClocks(operation)) {
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

/// Messages by the reference host and the other host.
using MessagesOfHosts = std::map<std::pair<std::size_t, std::size_t>, std::vector<OneWay>>;

MessagesOfHosts messagesBetweenHosts(const Model& model)
{
    MessagesOfHosts messages;
    for (const Message& message : model.messages) {
        if (message.sender.device && message.receiver.device) {
            const std::size_t from = model.ranks[message.sender.rank].host;
            const std::size_t to = model.ranks[message.receiver.rank].host;
            const std::int64_t sent = message.sender.device->start;
            const std::int64_t received = message.receiver.device->end;
            messages[{from, to}].push_back({true, sent, received});
            messages[{to, from}].push_back({false, received, sent});
        }
    }
    return messages;
}

/// Ranks of one host share its clock, so that no alignment error lies between them. How far the ends of a
/// collective lie apart on the host shows how well ends are suited for alignment.
void measureOwnResidual(Model& model, std::size_t host)
{
    std::vector<std::int64_t> spreads;
    for (const Operation& operation : model.operations) {
        if (!tiesClocks(operation)) {
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
/// there is no fit.
std::optional<ClockMap> alignTo(Model& model, std::size_t index, std::size_t to, const ClockMap& itsMap,
                                const std::optional<ClockFit>& fit)
{
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

/// Returns the pairs of hosts that have a collective that ties clocks or a swap in common. Of each
/// communicator one operation is looked at for each span and number of ranks that recorded one.
HostPairs hostsThatMet(const Model& model, const std::vector<Swap>& swaps)
{
    HostPairs met;
    std::set<std::tuple<std::uint64_t, std::size_t, std::size_t, std::size_t>> seen;
    for (const Operation& operation : model.operations) {
        const std::vector<Participant>& parts = operation.participants;
        if (!tiesClocks(operation) ||
            !seen.emplace(operation.communicator, parts.size(), parts.front().rank, parts.back().rank)
                 .second) {
            continue;
        }
        std::set<std::size_t> hosts;
        for (const Participant& part : parts) {
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

/// Aligns hosts one after the other with one that is aligned already, beginning with the reference.
class HostAlignment final {
public:
    HostAlignment(Model& model, std::int64_t origin)
        : m_model(model)
        , m_swaps(findSwaps(model.messages))
        , m_met(hostsThatMet(model, m_swaps))
        , m_maps(model.hosts.size())
        , m_reached{0}
    {
        m_maps.front() = referenceMap(origin);
    }

    /// Returns the maps; null for a host that is not reached. Messages are the last resort: they tell less
    /// than ends that meet.
    [[nodiscard]] std::vector<std::optional<ClockMap>> run()
    {
        do {
            reachByEnds();
        } while (reachByMessages());
        return std::move(m_maps);
    }

private:
    bool reach(std::size_t host, std::size_t from, const std::optional<ClockFit>& fit)
    {
        m_maps[host] = alignTo(m_model, host, from, *m_maps[from], fit);
        if (m_maps[host]) {
            m_reached.push_back(host);
        }
        return m_maps[host].has_value();
    }

    void reachByEnds()
    {
        for (; m_byEnds < m_reached.size(); ++m_byEnds) {
            const std::size_t from = m_reached[m_byEnds];
            for (std::size_t host = 1; host < m_maps.size(); ++host) {
                if (!m_maps[host] && m_met.contains({from, host})) {
                    reach(host, from, fitClock(matchesBetween(m_model, m_swaps, from, host)));
                }
            }
        }
    }

    /// Reaches one more host, or returns false.
    bool reachByMessages()
    {
        if (std::ranges::all_of(m_maps, [](const auto& map) { return map.has_value(); })) {
            return false;
        }
        if (m_messages.empty()) {
            m_messages = messagesBetweenHosts(m_model);
        }
        for (; m_byMessages < m_reached.size(); ++m_byMessages) {
            const std::size_t from = m_reached[m_byMessages];
            for (auto at = m_messages.lower_bound({from, 0});
                 at != m_messages.end() && at->first.first == from; ++at) {
                const std::size_t host = at->first.second;
                if (!m_maps[host] && reach(host, from, fitClock(std::move(at->second)))) {
                    return true;
                }
            }
        }
        return false;
    }

    Model& m_model;
    std::vector<Swap> m_swaps;
    HostPairs m_met;
    std::vector<std::optional<ClockMap>> m_maps;
    std::vector<std::size_t> m_reached; ///< hosts, in the order in which they were aligned
    MessagesOfHosts m_messages;         ///< made when they are needed
    std::size_t m_byEnds = 0;           ///< the next of them whose collectives are looked at
    std::size_t m_byMessages = 0;       ///< the next of them whose messages are looked at
};

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

} // namespace

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
    const std::vector<std::optional<ClockMap>> aligned = HostAlignment(model, origin).run();
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

} // namespace ringside::model
