// SPDX-License-Identifier: Apache-2.0
// Who sent to whom: messages of NCCL's proxies through the network where they were recorded (profile deep),
// else the program's own calls of ncclSend. What collectives do inside a node or over NVLink nobody tells.
#pragma once
#include "model/model.h"

#include <functional>
#include <optional>
#include <vector>

namespace ringside::metrics {

/// A message that a rank's proxy sent.
struct NetworkMessage {
    const model::Rank* sender = nullptr;
    std::int64_t receiver = 0; ///< rank number
    std::uint64_t communicator = 0;
    std::uint64_t bytes = 0;
    std::int64_t networkNs = 0; ///< from leaving until it was there; more than 0
    model::Interval time;       ///< on the sender's clock
};
/// Those whose ends are known; damaged ones are left out.
void forEachMessage(const model::Model& model, const std::function<void(const NetworkMessage&)>& visit);

struct PairTraffic {
    std::int64_t sender = 0; ///< rank numbers
    std::int64_t receiver = 0;
    std::int64_t messages = 0;
    std::int64_t bytes = 0;          ///< as many as fit, should a file claim more
    std::optional<double> medianGBs; ///< of messages; null: calls do not tell
};
struct Traffic {
    enum class Source : std::uint8_t { None, Network, Calls };
    Source source = Source::None;
    std::vector<PairTraffic> pairs; ///< by sender, then receiver
};
/// Of one communicator (hash), or of all.
[[nodiscard]] Traffic trafficOf(const model::Model& model, std::optional<std::uint64_t> communicator = {});

} // namespace ringside::metrics
