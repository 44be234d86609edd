// SPDX-License-Identifier: Apache-2.0
#include "hang/other_order.h"

#include <map>

namespace ringside::hang {
namespace {

std::map<std::int64_t, std::int64_t> startsOf(const StuckCollective& call)
{
    std::map<std::int64_t, std::int64_t> starts;
    for (const Arrived& arrived : call.arrived) {
        starts[arrived.rank] = -arrived.forNs; // all before the same time of a rank
    }
    return starts;
}

} // namespace

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
