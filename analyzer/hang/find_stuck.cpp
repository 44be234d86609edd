// SPDX-License-Identifier: Apache-2.0
#include "hang/find_stuck.h"

#include "hang/point_to_point.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <unordered_map>

namespace ringside::hang {
namespace {

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
