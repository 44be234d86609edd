// SPDX-License-Identifier: Apache-2.0
// What the verdict says: texts of facts, without a judgement of their own.
#pragma once
#include "hang/hang.h"
#include "hang/other_order.h"

namespace ringside::hang {

/// Who the others wait for at the origin, or that its ranks wait for each other, or that calls differ.
[[nodiscard]] words::Text originText(const Report& report, const Origin& origin);

/// That all ranks issued `last` and do not go on. `other` is another communicator whose calls were issued in
/// another order; null if there is none.
[[nodiscard]] words::Text waitingText(const Report& report, const StuckCollective& last,
                                      const std::optional<OtherOrder>& other);

/// That ranks wait in the call, if it is not known for whom.
[[nodiscard]] words::Text openText(const StuckCollective& stuck);

/// "ncclAllReduce #20 of communicator world"
[[nodiscard]] words::Text nameText(const StuckCollective& stuck);

/// That all of these ranks died, failed, are stopped or ended. Empty: they live, as far as is known.
[[nodiscard]] words::Text stateOf(const Report& report, const std::vector<std::int64_t>& ranks);

/// Returns null if the report has no such rank.
[[nodiscard]] const RankReport* reportOf(const Report& report, std::int64_t rank);

/// Ranks that issued the call.
[[nodiscard]] std::vector<std::int64_t> arrivedRanks(const StuckCollective& stuck);

} // namespace ringside::hang
