// SPDX-License-Identifier: Apache-2.0
// Finds slow links from the job's own sends and receives. A pair of ranks is compared with pairs of the same
// kind: within a host, or between hosts.
#pragma once
#include "metrics/matched_messages.h"
#include "rules/shared/origins.h"

#include <array>
#include <map>

namespace ringside::rules {

struct PairMessages {
    std::vector<double> bytesPerNs;
    std::vector<double> alone; ///< rates of messages that were alone in their kernel
    std::int64_t sumNs = 0;
    model::Interval slowest;
    double slowestRate = 0;

    /// Median rate in bytes per ns. A kernel with several messages ends with the slowest, so messages that
    /// were alone are preferred.
    [[nodiscard]] double rate() const
    {
        constexpr std::size_t kEnough = 2;
        return model::median(alone.size() >= kEnough ? alone : bytesPerNs);
    }
};
using MessagePairs = std::map<std::pair<std::size_t, std::size_t>,
                              PairMessages>; ///< sender and receiver, as indices of Model::ranks

/// Returns the pairs within hosts, then the pairs between hosts.
[[nodiscard]] std::array<MessagePairs, 2> messagePairs(const Context& context, double leastBytes,
                                                       double leastMessages);
[[nodiscard]] std::vector<Finding> slowByMatchedMessages(const Context& context, const MessagePairs& pairs,
                                                         double part);

} // namespace ringside::rules
