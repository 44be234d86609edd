// SPDX-License-Identifier: Apache-2.0
#include "hang/find_stuck.h"

#include "hang/messages.h"
#include "hang/setup.h"
#include "hang/wait_graph.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace ringside::hang {
namespace {

/// How far the members of a communicator have come.
struct Orders {
    /// One past the last order that any member issued.
    std::int64_t end = 0;
    /// All members have issued the calls before this order.
    std::int64_t common = std::numeric_limits<std::int64_t>::max();
    /// All members must have issued the calls before this order, because they have completed on some.
    std::int64_t completed = 0;
    /// Whether the member's trace is older than calls that completed with it: its present state is unknown.
    [[nodiscard]] bool isOlder(const Member& member) const { return member.next < completed; }
};

Orders ordersOf(const Group& group)
{
    Orders orders;
    for (const Member& member : group.members) {
        orders.end = std::max(orders.end, member.next);
        for (auto call = member.calls.rbegin();
             call != member.calls.rend() && call->order >= orders.completed; ++call) {
            if (call->progress == Progress::Done && needsAll(call->call.function)) {
                orders.completed = call->order + 1;
            }
        }
    }
    for (const Member& member : group.members) {
        if (!orders.isOlder(member)) {
            orders.common = std::min(orders.common, member.next);
        }
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

/// Returns the first order at which members call different things and that has not completed on all of them.
std::optional<std::int64_t> firstDifference(const Group& group)
{
    struct Known {
        const Issued* call = nullptr;
        bool differs = false;
        bool open = false;
    };
    std::unordered_map<std::int64_t, Known> known;
    for (const Member& member : group.members) {
        for (const Issued& call : member.calls) {
            Known& entry = known.try_emplace(call.order, Known{&call, false, false}).first->second;
            entry.differs = entry.differs || !differenceOf(entry.call->call, call.call).empty();
            entry.open = entry.open || call.isOpen();
        }
    }
    std::optional<std::int64_t> first;
    for (const auto& [order, entry] : known) {
        if (entry.differs && entry.open && order < first.value_or(std::numeric_limits<std::int64_t>::max())) {
            first = order;
        }
    }
    return first;
}

/// Returns the first order from `order` on that has not completed on some member that issued it.
std::optional<std::int64_t> firstOpen(const Group& group, std::int64_t order)
{
    std::optional<std::int64_t> first;
    for (const Member& member : group.members) {
        auto call = std::lower_bound(member.calls.begin(), member.calls.end(), order,
                                     [](const Issued& a, std::int64_t o) { return a.order < o; });
        call = std::find_if(call, member.calls.end(), [](const Issued& each) { return each.isOpen(); });
        if (call != member.calls.end() && call->order < first.value_or(call->order + 1)) {
            first = call->order;
        }
    }
    return first;
}

/// Returns the ranks of the group without a member that can be compared, as far as they are known.
std::vector<std::int64_t> ranksWithout(const model::Model& model, const Group& group, const Orders& orders)
{
    std::vector<std::int64_t> ranks = group.ranks;
    std::erase(ranks, -1);
    for (const Member& member : group.members) {
        if (!orders.isOlder(member)) {
            std::erase(ranks, model.ranks[member.rank].rank);
        }
    }
    std::ranges::sort(ranks);
    return ranks;
}

StuckCollective describe(const model::Model& model, const Group& group, std::int64_t order,
                         const Orders& orders, const std::vector<RankTimes>& times)
{
    StuckCollective stuck;
    stuck.communicator = group.hash;
    stuck.name = group.name;
    stuck.size = group.size;
    stuck.order = order;
    stuck.ordersByPlace = group.ordersByPlace;
    stuck.notRecorded =
        std::max<std::int64_t>(0, group.size - static_cast<std::int64_t>(group.members.size()));
    stuck.unknown = ranksWithout(model, group, orders);
    stuck.waitedNs = std::numeric_limits<std::int64_t>::max();
    bool started = false;
    if (std::ranges::any_of(group.members, [](const Member& member) { return member.statesKnown; })) {
        stuck.torchNumber = order + 1; // PyTorch counts from 1
    }
    for (const Member& member : group.members) {
        const std::int64_t rank = model.ranks[member.rank].rank;
        const Issued* const call = member.at(order);
        if (orders.isOlder(member)) {
            ++stuck.notRecorded;
        } else if (call != nullptr) {
            const std::int64_t forNs = std::max<std::int64_t>(0, times[member.rank].untilNs - call->startNs);
            stuck.arrived.push_back(
                {rank, call->call, forNs, call->inCall, model.ranks[member.rank].clock.toRun(call->startNs)});
            stuck.waitedNs = std::min(stuck.waitedNs, forNs);
            started = started || call->progress == Progress::Running || call->progress == Progress::Done;
            if (call->progress == Progress::Queued) {
                stuck.queued.push_back(rank);
            }
        } else if (member.next <= order && order + 1 - member.next > member.unplaced) {
            stuck.missing.push_back(rank);
        } else if (member.next <= order) {
            ++stuck.notRecorded;
            stuck.unknown.push_back(rank);
        }
    }
    if (!stuck.arrived.empty()) {
        compare(stuck);
    }
    if (!started) {
        stuck.queued.clear();
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
                if (operation.order >= stuck.order) {
                    const std::int64_t endNs = model.ranks[part.rank].clock.toRun(part.device->end);
                    stuck.endedOnGpuNs = std::min(stuck.endedOnGpuNs.value_or(endNs), endNs);
                }
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

/// Returns the first call of the group in which ranks wait for others, if there is one.
std::optional<StuckCollective> stuckIn(const model::Model& model, const Group& group,
                                       const std::vector<RankTimes>& times, bool ended,
                                       std::int64_t stuckAfterNs)
{
    const Orders orders = ordersOf(group);
    const std::optional<std::int64_t> different = ended ? std::nullopt : firstDifference(group);
    if (different && *different <= orders.common) {
        return describe(model, group, *different, orders, times);
    }
    const bool states =
        std::ranges::any_of(group.members, [](const Member& member) { return member.statesKnown; });
    // Hosts run ahead of their GPUs: of calls whose progress is not known, only one that is missing counts.
    const auto order = firstOpen(group, states ? orders.completed : orders.common);
    if (!order) {
        return std::nullopt; // all issued the same number
    }
    StuckCollective stuck = describe(model, group, *order, orders, times);
    const bool noticed = std::any_of(group.members.begin(), group.members.end(),
                                     [&](const Member& member) { return times[member.rank].openHang; });
    const bool waits = !stuck.arrived.empty() && !blockersOf(stuck).empty();
    return waits && (noticed || stuck.waitedNs >= stuckAfterNs) ? std::optional(std::move(stuck))
                                                                : std::nullopt;
}

/// Where as many ranks made the one call as the other, other groups of the same name may tell which is usual.
void askSiblings(StuckCollective& stuck, const std::vector<Group>& groups)
{
    const auto others = [&](const Signature& call) {
        std::size_t same = 0;
        for (const Group& group : groups) {
            const bool sibling =
                group.hash != stuck.communicator && group.name == stuck.name && group.size == stuck.size;
            for (const Member& member : group.members) {
                const Issued* const theirs = sibling ? member.at(stuck.order) : nullptr;
                same += theirs != nullptr && differenceOf(call, theirs->call).empty() ? 1 : 0;
            }
        }
        return same;
    };
    if (stuck.different.size() * 2 != stuck.arrived.size()) {
        return;
    }
    std::size_t best = others(stuck.call());
    stuck.tied = best == 0;
    for (std::size_t i = 0; i < stuck.arrived.size(); ++i) {
        if (const std::size_t same = others(stuck.arrived[i].call); same > best) {
            best = same;
            stuck.common = i;
            stuck.tied = false;
        }
    }
    stuck.different.clear();
    for (const Arrived& arrived : stuck.arrived) {
        if (stuck.tied || !differenceOf(stuck.call(), arrived.call).empty()) {
            stuck.different.push_back(arrived.rank);
        }
    }
}

} // namespace

std::vector<StuckCollective> findStuck(const model::Model& model, const std::vector<Group>& groups,
                                       const std::vector<RankTimes>& times, bool ended,
                                       std::int64_t stuckAfterNs)
{
    std::vector<StuckCollective> found;
    for (const Group& group : groups) {
        if (group.isComparable()) {
            if (auto stuck = stuckIn(model, group, times, ended, stuckAfterNs)) {
                addDevice(*stuck, model);
                askSiblings(*stuck, groups);
                found.push_back(std::move(*stuck));
            }
        }
        const bool noticed = std::ranges::any_of(
            group.members, [&](const Member& member) { return times[member.rank].openHang; });
        if (!ended || noticed) {
            for (StuckCollective& message : stuckMessages(model, group, times, stuckAfterNs)) {
                found.push_back(std::move(message));
            }
        }
    }
    for (StuckCollective& setup :
         ended ? std::vector<StuckCollective>() : stuckSetups(model, times, stuckAfterNs)) {
        found.push_back(std::move(setup));
    }
    findWrongPeers(found);
    orderByOrigin(found);
    return found;
}

std::optional<StuckCollective> lastCommonCall(const model::Model& model, const Group& group,
                                              const std::vector<RankTimes>& times)
{
    const Orders orders = ordersOf(group);
    if (!group.isComparable() || orders.common == 0 || orders.common != orders.end) {
        return std::nullopt;
    }
    StuckCollective last = describe(model, group, orders.common - 1, orders, times);
    if (last.arrived.empty()) {
        return std::nullopt; // its records were lost
    }
    addDevice(last, model);
    return last;
}

} // namespace ringside::hang
