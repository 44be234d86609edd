// SPDX-License-Identifier: Apache-2.0
#include "probe/rdma_result.h"

#include <algorithm>

namespace ringside::probe {

std::vector<RailPair> pairRails(const RdmaEnd& sender, const RdmaEnd& receiver)
{
    std::vector<RailPair> pairs;
    std::vector<std::size_t> left;
    std::vector<bool> taken(receiver.rails.size());
    for (std::size_t i = 0; i < sender.rails.size(); ++i) {
        const auto same = std::ranges::find(receiver.rails, sender.rails[i].port, &RdmaRail::port);
        const auto place = static_cast<std::size_t>(same - receiver.rails.begin());
        if (same == receiver.rails.end() || taken[place]) {
            left.push_back(i);
        } else {
            taken[place] = true;
            pairs.push_back({i, place});
        }
    }
    std::size_t next = 0;
    for (const std::size_t i : left) {
        while (next < taken.size() && taken[next]) {
            ++next;
        }
        if (next == taken.size()) {
            break;
        }
        taken[next] = true;
        pairs.push_back({i, next});
    }
    std::ranges::sort(pairs, {}, &RailPair::sender);
    return pairs;
}

std::vector<const RdmaDirection::Rail*> RdmaDirection::bySpeed() const
{
    std::vector<const Rail*> measured;
    for (const Rail& rail : rails) {
        if (rail.result.measured) {
            measured.push_back(&rail);
        }
    }
    std::ranges::stable_sort(measured, {}, [](const Rail* rail) { return rail->result.measured->gbps; });
    return measured;
}

const RdmaDirection::Rail* RdmaDirection::slowest() const
{
    const std::vector<const Rail*> measured = bySpeed();
    return measured.empty() ? nullptr : measured.front();
}

const RdmaDirection::Rail* RdmaDirection::middle() const
{
    const std::vector<const Rail*> measured = bySpeed();
    return measured.empty() ? nullptr : measured[measured.size() / 2];
}

} // namespace ringside::probe
