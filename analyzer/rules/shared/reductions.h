// SPDX-License-Identifier: Apache-2.0
// Counts how many times a step reduces all gradients, from the backward passes that contain gradient
// reductions.
#pragma once
#include "rules/shared/gradients.h"

#include <cctype>

namespace ringside::rules {
/// Backward passes of a rank that contain gradient reductions.
struct Passes {
    bool sending = false;            ///< at least one pass contains a gradient reduction
    std::vector<std::size_t> ofStep; ///< number of such passes in each analyzed step
};

[[nodiscard]] Passes findPasses(const Context& context, const metrics::RankMetrics& metrics);

/// How often a step's gradients are reduced: once, or after each of several backward passes.
struct Reductions {
    double times = 0;   ///< median number of reductions per step
    double part = 0;    ///< share of the steps in which it repeats; without ranges, share of the messages
    bool known = false; ///< backward ranges, or differing sizes, make the answer certain
};

[[nodiscard]] Reductions reductionsFromPasses(const Passes& passes, std::size_t least);

} // namespace ringside::rules
