// SPDX-License-Identifier: Apache-2.0
// Finds how much each rank sent to each other rank. If NCCL's proxy steps were recorded (profile deep), these
// are the messages through the network, otherwise the program's own ncclSend calls. The traffic of
// collectives inside a node or over NVLink is not recorded by any source.
#pragma once
#include "model/model.h"

#include <functional>
#include <optional>
#include <vector>

namespace ringside::metrics {

/// A message that the proxy of a rank sent.
struct NetworkMessage {
    const model::Rank* sender = nullptr;
    std::int64_t receiver = 0; ///< rank number
    std::uint64_t communicator = 0;
    std::uint64_t bytes = 0;
    std::int64_t networkNs = 0; ///< time the proxy waited for the network; greater than 0
    model::Interval time;       ///< on the sender's clock
};
/// Calls `visit` for each message whose ends are known. Damaged messages are left out.
void forEachMessage(const model::Model& model, const std::function<void(const NetworkMessage&)>& visit);

struct PairTraffic {
    std::int64_t sender = 0;   ///< rank number
    std::int64_t receiver = 0; ///< rank number
    std::int64_t messages = 0;
    std::int64_t bytes = 0;          ///< the largest integer if a damaged file claims more
    std::optional<double> medianGBs; ///< median over the messages; null if the source is calls
};
struct Traffic {
    enum class Source : std::uint8_t { None, Network, Calls };
    Source source = Source::None;
    std::vector<PairTraffic> pairs; ///< ordered by sender, then receiver
};
/// Returns the traffic on one communicator (given by its hash), or on all.
[[nodiscard]] Traffic trafficOf(const model::Model& model, std::optional<std::uint64_t> communicator = {});

} // namespace ringside::metrics
