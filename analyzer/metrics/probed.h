// SPDX-License-Identifier: Apache-2.0
// What `ringside probe` measured of the network and left in the run: facts of a quiet network, against which
// rules hold what the run itself shows. A later probe's figures replace an earlier one's.
#pragma once
#include "model/model.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace ringside::metrics {

/// One direction between two hosts, over one TCP connection and over one port of each.
struct ProbedLink {
    std::optional<double> gbs; ///< 1e9 bytes/s
    std::optional<std::int64_t> roundTripNs;
    std::optional<double> rdmaGBs;
    std::optional<std::int64_t> rdmaWriteNs; ///< until a small write is acknowledged: a round trip, too
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
    std::optional<std::int64_t> realtimeNs; ///< when the latest probe ended; null: there was none

    /// Bus bandwidth at a size, on the line between its neighbours; null outside of what was measured.
    [[nodiscard]] std::optional<double> busGBs(std::uint64_t bytes) const;
    /// What links of this network can do: the upper quarter of all directions. Not the middle, for one host's
    /// slow card makes half of the directions of four hosts slow, and one of the two of two.
    [[nodiscard]] std::optional<double> usualLinkGBs() const;
    [[nodiscard]] std::optional<double> usualRdmaGBs() const;
    /// The middle of all directions.
    [[nodiscard]] std::optional<std::int64_t> medianRoundTripNs() const;
    [[nodiscard]] std::optional<std::int64_t> medianRdmaWriteNs() const;
};

[[nodiscard]] Probed probedOf(const model::Model& model);

} // namespace ringside::metrics
