// SPDX-License-Identifier: Apache-2.0
// Finds slow links from the job's own sends and receives. A pair of ranks is compared with pairs of the same
// kind: within a host, or between hosts.
#pragma once
#include "metrics/matched_messages.h"
#include "rules/shared/origins.h"

#include <array>
#include <map>

namespace ringside::rules {

/// The size of a message, and the time from the later begin to the earlier end of its two kernels.
struct Passage {
    double bytes = 0;
    double ns = 0;
};

struct PairMessages {
    std::vector<Passage> all;
    std::vector<Passage> alone; ///< messages that were alone in their kernel
    std::int64_t sumNs = 0;
    model::Interval slowest;
    double slowestRate = 0;

    /// Median rate in bytes per ns if each message took `moreNs` longer than measured. A kernel with several
    /// messages ends with the slowest, so messages that were alone are preferred.
    [[nodiscard]] double rate(double moreNs = 0) const;
};
using MessagePairs = std::map<std::pair<std::size_t, std::size_t>,
                              PairMessages>; ///< sender and receiver, as indices of Model::ranks

/// Returns the pairs within hosts, then the pairs between hosts.
[[nodiscard]] std::array<MessagePairs, 2> messagePairs(const Context& context, double leastBytes,
                                                       double leastMessages);
/// Returns the pairs that are slow even if the clocks of the two ends are wrong by `errorNs` in their favour.
[[nodiscard]] std::vector<Finding> slowByMatchedMessages(const Context& context, const MessagePairs& pairs,
                                                         double part, double errorNs);

} // namespace ringside::rules
