// SPDX-License-Identifier: Apache-2.0
// How long sends and receives that were matched took, once both had come.
#pragma once
#include "metrics/metrics.h"

namespace ringside::metrics {

struct MatchedMessage {
    std::size_t sender = 0; ///< of Model::ranks
    std::size_t receiver = 0;
    std::uint64_t bytes = 0;
    std::int64_t ns = 0; ///< from when both had come to the earlier end; more than 0
    /// No other message was in the kernel of one of its ends, whose end then is its own.
    bool alone = false;
    Interval time; ///< on the sender's clock
};

/// Of the analyzed steps; those of known size, whose ends' clocks can be compared.
[[nodiscard]] std::vector<MatchedMessage> matchedMessages(const model::Model& model, const RunMetrics& run);

} // namespace ringside::metrics
