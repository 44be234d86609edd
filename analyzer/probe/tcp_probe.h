// SPDX-License-Identifier: Apache-2.0
// One direction between two hosts: small messages back and forth for the latency, then one burst for the
// bandwidth, and what the kernel says about why it was not faster (TCP_INFO). Bounded by bytes and time.
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
    std::uint64_t bytes = 0; ///< of the burst, as the receiver counted them
    std::uint64_t retransmits = 0;
    double receiverShare = 0; ///< of the time with data to send: waited for the receiver's buffer
    double senderShare = 0;   ///< the same: for the sender's own buffer
};

/// Answers one measurement on `listener`; false where nobody came or the other side left early.
[[nodiscard]] bool serveProbe(const Descriptor& listener);
/// Measures against who serves; nothing where it cannot be reached or leaves early.
[[nodiscard]] std::optional<Measurement> runProbe(const Endpoint& server, const Bounds& bounds);

} // namespace ringside::probe
