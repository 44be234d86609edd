// SPDX-License-Identifier: Apache-2.0
// What a message may cost where no message of its size, or no such number of ranks, was measured.
#pragma once
#include "whatif/plan.h"

namespace ringside::whatif {

/// Returns null for sizes that the line was fitted to. Beyond them, a message costs at least as much as a
/// smaller one that was measured and at most as much as a larger one; a cost that grows with the size alone
/// (no latency) and one that does not grow at all are the other ends.
[[nodiscard]] std::optional<CostBounds> boundsOf(const CostLine& line, double bytes);

/// Returns both costs as bounds, with the line's residual around them.
[[nodiscard]] CostBounds boundsBetween(double oneNs, double otherNs, const CostLine& line);

/// Returns the plan with each cost that has bounds at one end of them.
[[nodiscard]] Plan atBounds(Plan plan, double CostBounds::*end);

} // namespace ringside::whatif
