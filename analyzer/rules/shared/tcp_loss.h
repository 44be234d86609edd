// SPDX-License-Identifier: Apache-2.0
// Judges which share of the segments that a job's own connections sent had to be sent again.
#pragma once
#include "metrics/tcp_links.h"
#include "rules/shared/support.h"

namespace ringside::rules {

/// Segments sent, and those of them that were retransmitted because they had not arrived.
struct TcpLoss {
    std::int64_t lost = 0;
    std::int64_t sent = 0;
    [[nodiscard]] double share() const { return static_cast<double>(lost) / static_cast<double>(sent); }
    /// Returns the lower confidence limit of the share (95 %, Poisson). A single segment of a short run,
    /// which the kernel may have retransmitted because an acknowledgement was late, proves no share.
    [[nodiscard]] double leastShare() const;
};

/// Under load acknowledgements are late and senders retransmit needlessly; receivers report that. Kernels
/// without that counter count all retransmissions as losses. Returns null if nothing was sent.
[[nodiscard]] std::optional<TcpLoss> tcpLossOf(std::int64_t again, std::optional<std::int64_t> needlessly,
                                               std::int64_t sent);

/// Links between hosts that lose segments, the worst first. `isJudged`: the connections of at least one link
/// counted their segments.
struct LossyLinks {
    bool isJudged = false;
    std::vector<std::pair<const metrics::TcpLink*, TcpLoss>> links;
};

/// A link is lossy above the share `again`, with at least `atLeast` segments lost.
[[nodiscard]] LossyLinks lossyLinks(const std::vector<metrics::TcpLink>& all, double again, double atLeast);

/// Returns one finding about all of them, with links, ranks, title, figures and evidence.
[[nodiscard]] Finding describeLoss(const Context& context, const LossyLinks& lossy);

} // namespace ringside::rules
