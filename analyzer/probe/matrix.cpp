// SPDX-License-Identifier: Apache-2.0
#include "probe/matrix.h"

#include <algorithm>

namespace ringside::probe {

std::optional<double> expectedGbps(const Matrix& matrix, std::size_t sender, std::size_t receiver)
{
    constexpr double kMegabits = 1000;
    const auto rateOf = [&](std::size_t host) {
        return host < matrix.interfaceMbps.size() ? matrix.interfaceMbps[host] : 0.0;
    };
    const double slower = std::min(rateOf(sender), rateOf(receiver));
    return slower > 0 ? std::optional(slower / kMegabits) : std::nullopt;
}

std::optional<double> expectedGbps(const Matrix& matrix, std::size_t sender, std::size_t receiver,
                                   const RailPair& pair)
{
    constexpr double kMegabits = 1000;
    const double slower = std::min(matrix.rdmaEnds[sender].rails[pair.sender].mbps,
                                   matrix.rdmaEnds[receiver].rails[pair.receiver].mbps);
    return slower > 0 ? std::optional(slower / kMegabits) : std::nullopt;
}

std::vector<std::vector<std::pair<std::size_t, std::size_t>>> roundRobin(std::size_t hosts)
{
    // The circle method: one host stays, the others move on by one. With an odd number of hosts, one has no
    // partner in each round.
    const std::size_t seats = hosts + hosts % 2;
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> rounds;
    for (std::size_t round = 0; round + 1 < seats; ++round) {
        auto& pairs = rounds.emplace_back();
        for (std::size_t i = 0; i < seats / 2; ++i) {
            const auto seat = [&](std::size_t place) {
                return place == 0 ? 0 : 1 + (place - 1 + round) % (seats - 1);
            };
            const std::size_t one = seat(i);
            const std::size_t other = seat(seats - 1 - i);
            if (one < hosts && other < hosts) {
                pairs.emplace_back(std::min(one, other), std::max(one, other));
            }
        }
    }
    return rounds;
}

} // namespace ringside::probe
