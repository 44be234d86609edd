// SPDX-License-Identifier: Apache-2.0
// All pairs of hosts: the order in which they are measured, and what was measured.
#pragma once
#include "probe/rdma_result.h"
#include "probe/tcp_probe.h"

#include <utility>
#include <vector>

namespace ringside::probe {

/// Returns rounds of pairs (a round-robin schedule). No host is in two pairs of a round, so that measurements
/// do not disturb each other. Each pair occurs once. There are n - 1 rounds for n hosts, n if n is odd.
[[nodiscard]] std::vector<std::vector<std::pair<std::size_t, std::size_t>>> roundRobin(std::size_t hosts);

/// A host, or a launcher's hosts, that was not measured, or only in part.
struct LeftOut {
    std::string what;   ///< a launcher as the user wrote it, or a host
    std::string reason; ///< "ended with code 255"
};

struct Matrix {
    std::vector<std::string> hosts;
    std::vector<std::string> interfaces; ///< measured interfaces of the hosts, with their addresses
    std::vector<double> interfaceMbps;   ///< their rates; 0: not known
    std::vector<LeftOut> leftOut;
    /// [sender][receiver]; nothing: not measurable, or a host with itself.
    std::vector<std::vector<std::optional<Measurement>>> directions;
    std::vector<RdmaEnd> rdmaEnds;                ///< by host
    std::vector<std::vector<RdmaDirection>> rdma; ///< [sender][receiver]
    bool perftest = false;                        ///< RDMA was measured by perftest's programs
};

enum class Network : std::uint8_t { Tcp, Rdma };
enum class Cause : std::uint8_t { Bandwidth, Loss, ReceiveBuffer, SendBuffer, Latency, Unreachable };

/// A direction that differs from the others.
struct Outlier {
    std::size_t sender = 0;
    std::size_t receiver = 0;
    Cause cause = Cause::Bandwidth;
    std::string what; ///< one sentence with the figures
    Network network = Network::Tcp;
    std::size_t rail = 0; ///< over RDMA: index into RdmaDirection::rails
};

/// Returns what a direction can carry at most over TCP, in Gb/s: the rate of its slower end. Null if one is
/// not known.
[[nodiscard]] std::optional<double> expectedGbps(const Matrix& matrix, std::size_t sender,
                                                 std::size_t receiver);
/// Returns the same of a rail over RDMA.
[[nodiscard]] std::optional<double> expectedGbps(const Matrix& matrix, std::size_t sender,
                                                 std::size_t receiver, const RailPair& pair);

} // namespace ringside::probe
