// SPDX-License-Identifier: Apache-2.0
// One direction between two hosts: small messages back and forth measure the latency, one burst the
// bandwidth, and TCP_INFO tells what limited it. Bytes and time are limited.
#pragma once
#include "probe/socket.h"

#include <string>

namespace ringside::probe {

struct Bounds {
    std::uint64_t bytes = 32U << 20U;
    std::int64_t milliseconds = 1000; ///< of the burst
    int pings = 200;
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
};

/// Answers one measurement on `listener`. Returns false if no client came or it left early.
[[nodiscard]] bool serveProbe(const Descriptor& listener);
/// Measures the direction to `server`. Returns nothing if it cannot be reached or leaves early.
[[nodiscard]] std::optional<Measurement> runProbe(const Endpoint& server, const Bounds& bounds);

} // namespace ringside::probe
