// SPDX-License-Identifier: Apache-2.0
// Results of RDMA measurements between two hosts.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

/// A port of a host that NCCL would use.
struct RdmaRail {
    std::string port; ///< "mlx5_0:1"
    double mbps = 0;  ///< its rate; 0: not known
};

/// The rails of a host, in the order in which NCCL numbers them.
struct RdmaEnd {
    std::vector<RdmaRail> rails; ///< empty: nothing is measured
    std::string reason;          ///< why there are none
};

/// A rail of the sender and its counterpart, as indices into RdmaEnd::rails.
struct RailPair {
    std::size_t sender = 0;
    std::size_t receiver = 0;
};

/// Returns which rails of two hosts are measured with each other: those of one name if both hosts have it,
/// the others in their order. Rails beyond the number of the other host have no counterpart.
[[nodiscard]] std::vector<RailPair> pairRails(const RdmaEnd& sender, const RdmaEnd& receiver);

/// What was measured from one host to another.
struct RdmaDirection {
    struct Rail {
        RailPair pair;
        RdmaResult result;
    };
    std::vector<Rail> rails;
    std::string reason; ///< why there are none

    /// Returns the measured rail with the lowest bandwidth; null if none was measured.
    [[nodiscard]] const Rail* slowest() const;
    /// Returns the measured rail with the median bandwidth; null if none was measured.
    [[nodiscard]] const Rail* middle() const;

private:
    /// Returns the measured rails, the slowest first.
    [[nodiscard]] std::vector<const Rail*> bySpeed() const;
};

} // namespace ringside::probe
