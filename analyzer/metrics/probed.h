// SPDX-License-Identifier: Apache-2.0
// Reads what `ringside probe` measured of the network and stored in the run. The figures describe an idle
// network; rules compare the run with them. The figures of a later probe replace those of an earlier one.
#pragma once
#include "model/model.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace ringside::metrics {

/// One direction between two hosts, over one TCP connection and over one RDMA port of each host.
struct ProbedLink {
    std::optional<double> gbs; ///< over TCP, in 1e9 bytes/s
    std::optional<std::int64_t> roundTripNs;
    std::optional<double> rdmaGBs;
    std::optional<std::int64_t> rdmaWriteNs; ///< until a small write is acknowledged, so also a round trip
};

/// All-reduces of one size over all ranks of the probe.
struct ProbedAllReduce {
    std::int64_t ns = 0; ///< median
    double busGBs = 0;
};

struct Probed {
    std::map<std::pair<std::string, std::string>, ProbedLink> links; ///< by names of sender and receiver
    std::map<std::uint64_t, ProbedAllReduce> allReduces;             ///< by bytes
    std::int64_t allReduceRanks = 0;
    std::optional<std::int64_t> realtimeNs; ///< CLOCK_REALTIME of the latest probe; null if there was none

    /// Returns the bus bandwidth at a size, interpolated over the logarithm of the size. Null outside the
    /// measured sizes.
    [[nodiscard]] std::optional<double> busGBs(std::uint64_t bytes) const;
    /// Returns the TCP bandwidth that links of this network reach: the upper quartile of all directions. The
    /// median would be wrong: a slow card in one of four hosts slows half of the directions, and with two
    /// hosts it slows one of two.
    [[nodiscard]] std::optional<double> usualLinkGBs() const;
    /// Returns the same for RDMA.
    [[nodiscard]] std::optional<double> usualRdmaGBs() const;
    /// Returns the median TCP round trip of all directions.
    [[nodiscard]] std::optional<std::int64_t> medianRoundTripNs() const;
    /// Returns the median time of a small RDMA write of all directions.
    [[nodiscard]] std::optional<std::int64_t> medianRdmaWriteNs() const;
};

/// Reads the figures of all probes in the run.

[[nodiscard]] Probed probedOf(const model::Model& model);

} // namespace ringside::metrics
