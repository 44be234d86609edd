// SPDX-License-Identifier: Apache-2.0
// All pairs of hosts: in which order they are measured, and which of them stand out.
#pragma once
#include "probe/rdma_result.h"
#include "probe/tcp_probe.h"

#include <utility>
#include <vector>

namespace ringside::probe {

/// A tournament: rounds of pairs in which no host plays twice, so that no measurement disturbs another's
/// card; every pair meets once. Of n hosts n - 1 rounds, n if n is odd.
[[nodiscard]] std::vector<std::vector<std::pair<std::size_t, std::size_t>>> tournament(std::size_t hosts);

struct Matrix {
    std::vector<std::string> hosts;
    std::vector<std::string> interfaces; ///< that the hosts were measured on, with the address
    /// [sender][receiver]; nothing: could not be measured, and of a host with itself.
    std::vector<std::vector<std::optional<Measurement>>> directions;
    std::vector<RdmaEnd> rdmaEnds;             ///< of the hosts
    std::vector<std::vector<RdmaResult>> rdma; ///< [sender][receiver]
};

enum class Network : std::uint8_t { Tcp, Rdma };
enum class Cause : std::uint8_t { Bandwidth, Loss, ReceiveBuffer, SendBuffer, Latency, Unreachable };

/// A direction that is unlike the others.
struct Outlier {
    std::size_t sender = 0;
    std::size_t receiver = 0;
    Cause cause = Cause::Bandwidth;
    std::string what; ///< one sentence with the figures
    Network network = Network::Tcp;
};

struct Verdict {
    double medianGbps = 0;
    double medianRoundTripUs = 0;
    std::optional<double> medianRdmaGbps; ///< null: RDMA was measured nowhere
    std::optional<double> medianWriteUs;
    std::vector<Outlier> outliers;
    std::vector<std::size_t> hosts; ///< behind most of whose directions is an outlier: look at these first
};

/// Compares each direction with the median of all, so that it needs at least three hosts to blame one; two
/// are only told from what the kernel says.
[[nodiscard]] Verdict judge(const Matrix& matrix);

[[nodiscard]] std::string textOf(const Matrix& matrix, const Verdict& verdict, std::size_t width);
/// "ringside-probe/1".
[[nodiscard]] std::string jsonOf(const Matrix& matrix, const Verdict& verdict);

} // namespace ringside::probe
