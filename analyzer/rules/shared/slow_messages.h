// SPDX-License-Identifier: Apache-2.0
// A slow link as the program's own sends and receives show it: compared with pairs that lie alike, within
// hosts or between them.
#pragma once
#include "metrics/matched_messages.h"
#include "rules/shared/origins.h"

#include <array>
#include <map>

namespace ringside::rules {

struct PairMessages {
    std::vector<double> bytesPerNs;
    std::vector<double> alone; ///< of those whose kernel had no other message
    std::int64_t sumNs = 0;
    model::Interval slowest;
    double slowestRate = 0;

    /// A kernel that sends one way and receives the other ends with the slower of the two.
    [[nodiscard]] double rate() const
    {
        constexpr std::size_t kEnough = 2;
        return model::median(alone.size() >= kEnough ? alone : bytesPerNs);
    }
};
using MessagePairs = std::map<std::pair<std::size_t, std::size_t>, PairMessages>; ///< of Model::ranks

/// Of pairs within hosts, and of pairs between hosts.
[[nodiscard]] std::array<MessagePairs, 2> messagePairs(const Context& context, double leastBytes,
                                                       double leastMessages);
[[nodiscard]] std::vector<Finding> slowByMatchedMessages(const Context& context, const MessagePairs& pairs,
                                                         double part);

} // namespace ringside::rules
