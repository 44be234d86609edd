// SPDX-License-Identifier: Apache-2.0
// Measures how long matched sends and receives took from the time when both had begun.
#pragma once
#include "metrics/metrics.h"

namespace ringside::metrics {

struct MatchedMessage {
    std::size_t sender = 0;   ///< index into Model::ranks
    std::size_t receiver = 0; ///< index into Model::ranks
    std::uint64_t bytes = 0;
    std::int64_t ns = 0; ///< from the later begin to the earlier end; greater than 0
    /// Whether the kernel of one end carries no other message, so that its end is the end of this message.
    bool alone = false;
    Interval time; ///< on the sender's clock
};

/// Returns the messages of the analyzed steps whose size is known and whose clocks can be compared.
[[nodiscard]] std::vector<MatchedMessage> matchedMessages(const model::Model& model, const RunMetrics& run);

} // namespace ringside::metrics
