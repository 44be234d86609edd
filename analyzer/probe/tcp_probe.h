// SPDX-License-Identifier: Apache-2.0
// One direction between two hosts: small messages back and forth measure the latency and, because they cause
// no congestion, loss; one burst measures the bandwidth; TCP_INFO tells what limited it. Bytes and time are
// limited.
#pragma once
#include "probe/socket.h"

#include <optional>
#include <string>

namespace ringside::probe {

struct Bounds {
    std::uint64_t bytes = 32U << 20U;
    std::int64_t milliseconds = 1000; ///< of the burst, and of the small messages
    int pings = 1000;                 ///< for a 99.9th percentile
};

struct Measurement {
    double roundTripUs = 0; ///< median
    double roundTripP99Us = 0;
    double gbps = 0;
    std::uint64_t bytes = 0; ///< of the burst, as counted by the receiver
    std::uint64_t retransmits = 0;
    /// share of the time with data to send in which it waited for the receiver's buffer
    double receiverShare = 0;
    double senderShare = 0; ///< share in which it waited for the sender's own buffer
    /// 99.9th percentile: the slowest of fewer than 1000. Null: the agent is of an earlier version.
    std::optional<double> roundTripP999Us = {};
    std::optional<std::uint64_t> pings = {}; ///< small messages sent
    /// Of them, those that were sent again because they had not arrived.
    std::optional<std::uint64_t> pingsLost = {};
};

/// Answers one measurement on `listener`. Returns false if no client came or it left early.
[[nodiscard]] bool serveProbe(const Descriptor& listener);
/// Measures the direction to `server`. Returns nothing if it cannot be reached or leaves early.
[[nodiscard]] std::optional<Measurement> runProbe(const Endpoint& server, const Bounds& bounds);

} // namespace ringside::probe
