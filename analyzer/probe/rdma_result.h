// SPDX-License-Identifier: Apache-2.0
// What the probe learns of RDMA between two hosts.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace ringside::probe {

struct RdmaMeasurement {
    double writeUs = 0; ///< median: until a write of 8 bytes is acknowledged
    double writeP99Us = 0;
    double gbps = 0;
    std::uint64_t bytes = 0;           ///< of the burst
    std::optional<std::uint64_t> lost; ///< packets that the port sent again meanwhile; null: not counted
};

struct RdmaResult {
    std::optional<RdmaMeasurement> measured;
    std::string reason; ///< why not
};

/// A host's port.
struct RdmaEnd {
    std::string port;   ///< "mlx5_0:1"; empty: none is measured
    std::string reason; ///< why
};

} // namespace ringside::probe
