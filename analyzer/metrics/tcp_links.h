// SPDX-License-Identifier: Apache-2.0
// What hosts sent each other over TCP while they were sampled: how much, for how long data was under way, and
// what for it waited. All connections from one host to another count together, of all ranks.
#pragma once
#include "metrics/links.h"

#include <optional>
#include <vector>

namespace ringside::metrics {

struct TcpLink {
    std::size_t sender = 0; ///< of Model::hosts
    std::size_t receiver = 0;
    std::size_t rank = 0; ///< of Model::ranks: one on the sending host, for evidence
    std::int64_t bytes = 0;
    std::int64_t underWayNs = 0; ///< waiting for nothing but the network; summed over processes
    std::int64_t receiverLimitedNs = 0;
    std::int64_t senderLimitedNs = 0;
    std::int64_t retransmits = 0;            ///< segments
    std::optional<double> deliveryGBs;       ///< the kernel's own estimate, median; null: it had none
    std::optional<std::int64_t> roundTripNs; ///< median
    std::int64_t processes = 0;              ///< that sent over it
    model::Interval sampled;                 ///< run time
    model::Interval busiest;                 ///< between two readings, with the most time under way

    /// Bytes by the time they were under way, GB/s; null: never.
    [[nodiscard]] std::optional<double> gbs() const;
    /// The part of the sampled time in which data was under way, mean over the processes.
    [[nodiscard]] double busyShare() const;
};

/// By sender and receiver; those between hosts of the run whose addresses are told apart.
[[nodiscard]] std::vector<TcpLink> tcpLinksOf(const model::Model& model);

} // namespace ringside::metrics
