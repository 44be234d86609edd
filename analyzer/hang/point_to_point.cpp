// SPDX-License-Identifier: Apache-2.0
#include "hang/point_to_point.h"

#include <map>

namespace ringside::hang {
namespace {

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

} // namespace

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

} // namespace ringside::hang
