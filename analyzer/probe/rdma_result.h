// SPDX-License-Identifier: Apache-2.0
// Results of RDMA measurements between two hosts.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace ringside::probe {

struct RdmaMeasurement {
    double writeUs = 0; ///< median time until a write of 8 bytes is acknowledged
    double writeP99Us = 0;
    double gbps = 0;
    std::uint64_t bytes = 0;           ///< of the burst
    std::optional<std::uint64_t> lost; ///< packets that the port retransmitted meanwhile; null: not counted
};

struct RdmaResult {
    std::optional<RdmaMeasurement> measured;
    std::string reason; ///< why it was not measured
};

/// The measured port of a host.
struct RdmaEnd {
    std::string port;   ///< "mlx5_0:1"; empty: no port is measured
    std::string reason; ///< why no port is measured
    double mbps = 0;    ///< its rate; 0: not known
};

} // namespace ringside::probe
