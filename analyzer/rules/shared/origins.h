// SPDX-License-Identifier: Apache-2.0
// Text for positions in a job of several process groups, and for the rank that delays such a job.
#pragma once
#include "metrics/lateness.h"
#include "rules/shared/support.h"

namespace ringside::rules {

/// Returns " (stage 3 of 4, replica 2 of 8)" for a rank; empty if its position is not known.
[[nodiscard]] words::Text placeText(const Context& context, std::size_t rank);

/// Returns the title of late_rank for the origin of a delay. `often` is like "38 of 40 steps", `cause` is
/// what its timeline shows. `nowAndThen` is true if most of the time was lost in few steps.
[[nodiscard]] words::Text originTitle(const Context& context, const metrics::LateGroup& origin,
                                      words::Text often, words::Text cause, bool nowAndThen);

[[nodiscard]] Evidence originEvidence(const Context& context, const metrics::LateGroup& origin);

} // namespace ringside::rules
