// SPDX-License-Identifier: Apache-2.0
#include "hang/find_stuck.h"

#include "hang/hang.h"
#include "hang/issued.h"
#include "hang/rank_times.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace ringside::hang {
namespace {

// Finds sends and receives of which one side waits for the other. The k-th send from rank a to rank b belongs
// to the k-th receive of b from a. They are compared only if all calls of both ranks are known, because one
// lost record would shift the count.

/// Calls by sender and receiver, which are ranks in the communicator.
using Messages = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<const Issued*>>;

struct Sides {
    Messages sends;
    Messages receives;
    std::map<std::int64_t, const Member*> members; ///< by rank of the communicator
};

Sides sidesOf(const Group& group)
{
    Sides sides;
    for (const Member& member : group.members) {
        const std::int64_t self = member.communicatorRank;
        sides.members.emplace(self, &member);
        for (const Issued& call : member.pointToPoint) {
            if (!call.call.root) {
                continue; // it has not returned, and its peer is unknown
            }
            if (call.call.function == "ncclSend") {
                sides.sends[{self, *call.call.root}].push_back(&call);
            } else {
                sides.receives[{*call.call.root, self}].push_back(&call);
            }
        }
    }
    return sides;
}

/// Returns the first message that `here` has issued and `there` has not. `answered` is the number of
/// counterparts that `there` issued. Returns null if all are answered, or if calls of either member are
/// missing.
std::optional<StuckCollective> firstWithout(const model::Model& model, const Group& group,
                                            const std::vector<RankTimes>& times, const Member& here,
                                            const Member& there, const std::vector<const Issued*>& calls,
                                            std::size_t answered)
{
    if (calls.size() <= answered || !here.complete || !there.complete) {
        return std::nullopt;
    }
    const Issued& call = *calls[answered];
    StuckCollective stuck;
    stuck.communicator = group.hash;
    stuck.name = group.name;
    stuck.size = group.size;
    stuck.order = static_cast<std::int64_t>(answered);
    stuck.pointToPoint = true;
    stuck.waitedNs = std::max<std::int64_t>(0, times[here.rank].untilNs - call.startNs);
    stuck.arrived.push_back({model.ranks[here.rank].rank, call.call, stuck.waitedNs, call.inCall});
    stuck.missing.push_back(model.ranks[there.rank].rank);
    return stuck;
}

std::size_t countOf(const Messages& messages, const std::pair<std::int64_t, std::int64_t>& pair)
{
    const auto found = messages.find(pair);
    return found != messages.end() ? found->second.size() : 0;
}

/// Returns receives without a send that have waited long enough, and sends without a receive if their rank
/// waits in a call: NCCL completes small sends without the receiver.
std::vector<StuckCollective> findStuckMessages(const model::Model& model, const Group& group,
                                               const std::vector<RankTimes>& times, std::int64_t stuckAfterNs)
{
    std::vector<StuckCollective> found;
    const Sides sides = sidesOf(group);
    const auto compare = [&](const Messages& mine, const Messages& theirs, bool receives) {
        for (const auto& [pair, calls] : mine) {
            const auto here = sides.members.find(receives ? pair.second : pair.first);
            const auto there = sides.members.find(receives ? pair.first : pair.second);
            if (there == sides.members.end()) {
                continue; // not recorded
            }
            auto stuck = firstWithout(model, group, times, *here->second, *there->second, calls,
                                      countOf(theirs, pair));
            const RankTimes& waits = times[here->second->rank];
            const bool counts =
                receives ? waits.openHang || (stuck && stuck->waitedNs >= stuckAfterNs) : waits.inCall;
            if (stuck && counts) {
                found.push_back(std::move(*stuck));
            }
        }
    };
    compare(sides.receives, sides.sends, true);
    compare(sides.sends, sides.receives, false);
    return found;
}

/// How far the members of a communicator have come.
struct Orders {
    /// One past the last order that any member issued.
    std::int64_t end = 0;
    /// All members have issued the calls before this order.
    std::int64_t common = std::numeric_limits<std::int64_t>::max();
};

Orders ordersOf(const Group& group)
{
    Orders orders;
    for (const Member& member : group.members) {
        orders.end = std::max(orders.end, member.next);
        orders.common = std::min(orders.common, member.next);
    }
    return orders;
}

/// Finds the signature that most arrived members use, and the members that use another one.
void compare(StuckCollective& stuck)
{
    std::size_t best = 0;
    for (std::size_t i = 0; i < stuck.arrived.size(); ++i) {
        const auto same = static_cast<std::size_t>(
            std::count_if(stuck.arrived.begin(), stuck.arrived.end(), [&](const Arrived& other) {
                return differenceOf(stuck.arrived[i].call, other.call).empty();
            }));
        // A call that has returned has all its arguments, so that it is the better reference.
        if (same > best || (same == best && !stuck.call().datatype && stuck.arrived[i].call.datatype)) {
            best = same;
            stuck.common = i;
        }
    }
    for (const Arrived& arrived : stuck.arrived) {
        if (!differenceOf(stuck.call(), arrived.call).empty()) {
            stuck.different.push_back(arrived.rank);
        }
    }
}

/// Returns the first order at which members call different things.
std::optional<std::int64_t> firstDifference(const Group& group)
{
    std::unordered_map<std::int64_t, const Issued*> known;
    std::optional<std::int64_t> first;
    for (const Member& member : group.members) {
        for (const Issued& call : member.calls) {
            const auto [entry, fresh] = known.try_emplace(call.order, &call);
            if (!fresh && call.order < first.value_or(std::numeric_limits<std::int64_t>::max()) &&
                !differenceOf(entry->second->call, call.call).empty()) {
                first = call.order;
            }
        }
    }
    return first;
}

/// Returns the first order from `order` on for which a call is known: earlier records may be gone.
std::int64_t firstKnown(const Group& group, std::int64_t order)
{
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const Member& member : group.members) {
        const auto call = std::lower_bound(member.calls.begin(), member.calls.end(), order,
                                           [](const Issued& a, std::int64_t o) { return a.order < o; });
        first = call != member.calls.end() ? std::min(first, call->order) : first;
    }
    return first;
}

StuckCollective describe(const model::Model& model, const Group& group, std::int64_t order,
                         const std::vector<RankTimes>& times)
{
    StuckCollective stuck;
    stuck.communicator = group.hash;
    stuck.name = group.name;
    stuck.size = group.size;
    stuck.order = order;
    stuck.ordersByPlace = group.ordersByPlace;
    stuck.notRecorded =
        std::max<std::int64_t>(0, group.size - static_cast<std::int64_t>(group.members.size()));
    stuck.waitedNs = std::numeric_limits<std::int64_t>::max();
    for (const Member& member : group.members) {
        const std::int64_t rank = model.ranks[member.rank].rank;
        const Issued* const call = member.at(order);
        if (call != nullptr) {
            const std::int64_t forNs = std::max<std::int64_t>(0, times[member.rank].untilNs - call->startNs);
            stuck.arrived.push_back(
                {rank, call->call, forNs, call->inCall, model.ranks[member.rank].clock.toRun(call->startNs)});
            stuck.waitedNs = std::min(stuck.waitedNs, forNs);
        } else if (member.next <= order) {
            stuck.missing.push_back(rank);
        }
    }
    if (!stuck.arrived.empty()) {
        compare(stuck);
    }
    return stuck;
}

/// Adds the last collective of the group that each rank's GPU is known to have finished.
void addDevice(StuckCollective& stuck, const model::Model& model)
{
    for (const model::Rank& rank : model.ranks) {
        stuck.finishedOnGpu.emplace_back(rank.rank, std::nullopt);
    }
    for (const model::Operation& operation : model.operations) {
        if (operation.communicator != stuck.communicator) {
            continue;
        }
        for (const model::Participant& part : operation.participants) {
            auto& finished = stuck.finishedOnGpu[part.rank].second;
            if (part.device) {
                finished = std::max(finished.value_or(0), operation.order);
            }
        }
    }
    std::erase_if(stuck.finishedOnGpu, [&](const auto& entry) {
        const auto is = [&](std::int64_t rank) { return rank == entry.first; };
        return std::none_of(stuck.missing.begin(), stuck.missing.end(), is) &&
               std::none_of(stuck.arrived.begin(), stuck.arrived.end(),
                            [&](const Arrived& arrived) { return is(arrived.rank); });
    });
}

std::optional<StuckCollective> stuckIn(const model::Model& model, const Group& group,
                                       const std::vector<RankTimes>& times, bool wentOn,
                                       std::int64_t stuckAfterNs)
{
    const Orders orders = ordersOf(group);
    const std::optional<std::int64_t> different = wentOn ? std::nullopt : firstDifference(group);
    if (different && *different <= orders.common) {
        return describe(model, group, *different, times);
    }
    if (orders.common >= orders.end) {
        return std::nullopt; // all issued the same number
    }
    StuckCollective stuck = describe(model, group, firstKnown(group, orders.common), times);
    const bool noticed = std::any_of(group.members.begin(), group.members.end(),
                                     [&](const Member& member) { return times[member.rank].openHang; });
    const bool waits = !stuck.arrived.empty() && !stuck.missing.empty();
    return waits && (noticed || stuck.waitedNs >= stuckAfterNs) ? std::optional(std::move(stuck))
                                                                : std::nullopt;
}

/// Puts collectives last whose missing ranks only wait in another stuck collective.
void orderByCause(std::vector<StuckCollective>& stuck)
{
    const auto waitsElsewhere = [&stuck](const StuckCollective& one, std::int64_t rank) {
        return std::any_of(stuck.begin(), stuck.end(), [&](const StuckCollective& other) {
            return &other != &one && std::any_of(other.arrived.begin(), other.arrived.end(),
                                                 [&](const Arrived& a) { return a.rank == rank; });
        });
    };
    std::set<std::pair<std::uint64_t, std::int64_t>> derived;
    for (const StuckCollective& one : stuck) {
        const bool all = !one.missing.empty() && one.different.empty() &&
                         std::all_of(one.missing.begin(), one.missing.end(),
                                     [&](std::int64_t rank) { return waitsElsewhere(one, rank); });
        if (all) {
            derived.emplace(one.communicator, one.order);
        }
    }
    std::stable_sort(stuck.begin(), stuck.end(), [&](const StuckCollective& a, const StuckCollective& b) {
        const auto key = [&](const StuckCollective& one) {
            return std::make_tuple(one.different.empty(), derived.contains({one.communicator, one.order}),
                                   -one.waitedNs);
        };
        return key(a) < key(b);
    });
}

} // namespace

std::vector<StuckCollective> findStuck(const model::Model& model, const std::vector<Group>& groups,
                                       const std::vector<RankTimes>& times, bool wentOn,
                                       std::int64_t stuckAfterNs)
{
    std::vector<StuckCollective> found;
    for (const Group& group : groups) {
        if (!group.isComparable()) {
            continue;
        }
        if (auto stuck = stuckIn(model, group, times, wentOn, stuckAfterNs)) {
            addDevice(*stuck, model);
            found.push_back(std::move(*stuck));
        }
        if (!wentOn) {
            for (StuckCollective& message : findStuckMessages(model, group, times, stuckAfterNs)) {
                found.push_back(std::move(message));
            }
        }
    }
    orderByCause(found);
    return found;
}

std::optional<StuckCollective> lastCommonCall(const model::Model& model, const Group& group,
                                              const std::vector<RankTimes>& times)
{
    const Orders orders = ordersOf(group);
    if (!group.isComparable() || orders.common == 0 || orders.common != orders.end) {
        return std::nullopt;
    }
    StuckCollective last = describe(model, group, orders.common - 1, times);
    if (last.arrived.empty()) {
        return std::nullopt; // its records were lost
    }
    addDevice(last, model);
    return last;
}

} // namespace ringside::hang
