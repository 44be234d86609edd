// SPDX-License-Identifier: Apache-2.0
#include "hang/circle.h"

#include <algorithm>
#include <map>

namespace ringside::hang {
namespace {

bool waitsIn(const StuckCollective& stuck, std::int64_t rank)
{
    return std::any_of(stuck.arrived.begin(), stuck.arrived.end(),
                       [rank](const Arrived& arrived) { return arrived.rank == rank; });
}

/// Finds a collective in which ranks wait that `one` waits for, provided that all of these ranks wait
/// somewhere. Otherwise one of them is the cause, and there is no circle.
const StuckCollective* nextOf(const StuckCollective& one, const std::vector<StuckCollective>& stuck)
{
    const StuckCollective* next = nullptr;
    for (const std::int64_t rank : one.missing) {
        const auto other = std::find_if(stuck.begin(), stuck.end(), [&](const StuckCollective& each) {
            return &each != &one && waitsIn(each, rank);
        });
        if (other == stuck.end()) {
            return nullptr;
        }
        next = next == nullptr ? &*other : next;
    }
    return next;
}

std::map<std::int64_t, std::int64_t> startsOf(const StuckCollective& call)
{
    std::map<std::int64_t, std::int64_t> starts;
    for (const Arrived& arrived : call.arrived) {
        starts[arrived.rank] = -arrived.forNs; // all before the same time of a rank
    }
    return starts;
}

} // namespace

std::vector<const StuckCollective*> circleOf(const std::vector<StuckCollective>& stuck)
{
    std::vector<const StuckCollective*> path;
    const StuckCollective* at = stuck.empty() ? nullptr : &stuck.front();
    while (at != nullptr) {
        const auto again = std::find(path.begin(), path.end(), at);
        if (again != path.end()) {
            path.erase(path.begin(), again);
            return path;
        }
        path.push_back(at);
        at = nextOf(*at, stuck);
    }
    return {};
}

std::optional<OtherOrder> otherOrderThan(const StuckCollective& last, const model::Model& model,
                                         const std::vector<Group>& groups,
                                         const std::vector<RankTimes>& times)
{
    const auto starts = startsOf(last);
    for (const Group& group : groups) {
        auto call = group.hash != last.communicator ? lastCommonCall(model, group, times) : std::nullopt;
        if (!call) {
            continue;
        }
        OtherOrder other{std::move(*call), {}, {}};
        for (const auto& [rank, start] : startsOf(other.call)) {
            if (const auto known = starts.find(rank); known != starts.end()) {
                (start < known->second ? other.before : other.behind).push_back(rank);
            }
        }
        if (!other.before.empty() && !other.behind.empty()) {
            return other;
        }
    }
    return std::nullopt;
}

} // namespace ringside::hang
