// SPDX-License-Identifier: Apache-2.0
// Groups the sends, receives and one-sided calls of a run. They are not collectives: only two ranks take
// part, and calls of one group share a kernel, so that no call has its own time.
#pragma once
#include "model/model.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::report {

/// Calls of one kind and size over the whole run.
struct MessageGroup {
    model::CollectiveKind kind = model::CollectiveKind::Send;
    std::optional<std::uint64_t> bytes; ///< of one call; null if not known
    std::int64_t ranks = 0;             ///< number of ranks that made them
    std::int64_t pairs = 0;             ///< number of pairs of a rank and its peer
    std::int64_t calls = 0;
    std::optional<std::uint64_t> totalBytes; ///< sum over all calls, clamped to the largest number
};

/// Whether a group is shown before another: by kind, the largest volume first.
[[nodiscard]] bool isBefore(const MessageGroup& a, const MessageGroup& b);

/// Returns the groups ordered by kind, the largest volume first. Calls captured into a CUDA graph count once
/// per launch of the graph.
[[nodiscard]] std::vector<MessageGroup> messageGroups(const model::Model& model);

} // namespace ringside::report
