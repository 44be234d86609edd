// SPDX-License-Identifier: Apache-2.0
// Measures what hosts sent each other over TCP while they were sampled: how much, how long data was in
// flight, and what it waited for. The connections of all ranks from one host to another count together.
#pragma once
#include "metrics/links.h"

#include <optional>
#include <vector>

namespace ringside::metrics {

struct TcpLink {
    std::size_t sender = 0;   ///< index into Model::hosts
    std::size_t receiver = 0; ///< index into Model::hosts
    std::size_t rank = 0;     ///< index into Model::ranks of a rank on the sending host, for evidence
    std::int64_t bytes = 0;
    std::int64_t underWayNs = 0; ///< time in which only the network limited it; summed over processes
    std::int64_t receiverLimitedNs = 0;
    std::int64_t senderLimitedNs = 0;
    std::int64_t retransmits = 0; ///< segments
    /// Segments sent with data, those sent again included. Null if a process did not count them.
    std::optional<std::int64_t> segments;
    /// Retransmitted segments that the receiver had already. Null if a kernel did not tell.
    std::optional<std::int64_t> needlessRetransmits;
    std::optional<double> deliveryGBs;       ///< median of the kernel's own estimate; null if it had none
    std::optional<std::int64_t> roundTripNs; ///< median
    std::int64_t processes = 0;              ///< number of processes that sent over the link
    model::Interval sampled;                 ///< in run time
    model::Interval busiest;                 ///< the two readings with the most time in flight between them

    /// Returns bytes divided by the time in flight, in GB/s. Null if no data was in flight.
    [[nodiscard]] std::optional<double> gbs() const;
    /// Returns the share of the sampled time in which data was in flight, mean over the processes.
    [[nodiscard]] double busyShare() const;
};

/// Returns the links of a run, ordered by sender and receiver. A link needs hosts of the run whose addresses
/// are unique.
[[nodiscard]] std::vector<TcpLink> tcpLinksOf(const model::Model& model);

} // namespace ringside::metrics
