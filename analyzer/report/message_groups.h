// SPDX-License-Identifier: Apache-2.0
// Sends, receives and one-sided calls of a run. They are no collectives: nobody but their two ends takes
// part, and calls of one group share a kernel, so that none has a time of its own.
#pragma once
#include "model/model.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::report {

/// Calls of one kind and size, of the whole run.
struct MessageGroup {
    model::CollectiveKind kind = model::CollectiveKind::Send;
    std::optional<std::uint64_t> bytes; ///< of one call; null: not known
    std::int64_t ranks = 0;             ///< that made them
    std::int64_t pairs = 0;             ///< of a rank and its peer
    std::int64_t calls = 0;
    std::optional<std::uint64_t> totalBytes; ///< of all these calls, at most the largest number there is
};

/// By kind, the largest volume first. Calls that were captured into a CUDA graph count as often as it was
/// launched.
[[nodiscard]] std::vector<MessageGroup> messageGroups(const model::Model& model);

} // namespace ringside::report
