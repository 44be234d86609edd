// SPDX-License-Identifier: Apache-2.0
// Finds the first of several processes that ended without closing their traces: it is the likely cause,
// because the others often only follow it.
#pragma once
#include "hang/hang.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace ringside::hang {

struct FirstToDie {
    std::size_t rank = 0; ///< index into the list of ranks
    /// Time until the next process ended, if `ringside record` saw both ends. Null: known only by the last
    /// signs of life, or no other process died.
    std::optional<std::int64_t> beforeNs;
    bool alone = false;   ///< no other process died
    bool awaited = false; ///< known only because all others waited for it
};

/// `ranks` are those of the model, in its order. Returns null if no process died, if the ends lie too close
/// together, or if a rank with unknown state may have died before.
[[nodiscard]] std::optional<FirstToDie> firstToDie(const model::Model& model,
                                                   const std::vector<RankReport>& ranks);

/// Returns the first moment at which a process can have ended: between its last sign of life and when
/// `ringside record` saw the end.
[[nodiscard]] std::int64_t earliestEndNs(const RankReport& rank);

/// Describes which ranks died, which was the first, and the evidence. At least one of `ranks` must have died.
[[nodiscard]] words::Text diedText(const std::vector<RankReport>& ranks,
                                   const std::optional<FirstToDie>& first);

} // namespace ringside::hang
