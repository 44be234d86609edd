// SPDX-License-Identifier: Apache-2.0
// How many times a step reduces all gradients, seen from the backward passes that send.
#pragma once
#include "rules/shared/gradients.h"

#include <cctype>

namespace ringside::rules {
/// What the passes of a rank's steps say.
struct Passes {
    bool sending = false;            ///< any holds a call: they tell
    std::vector<std::size_t> ofStep; ///< passes that send, of each analyzed step
};

[[nodiscard]] Passes lookAtPasses(const Context& context, const metrics::RankMetrics& metrics);

/// How often a step's gradients are reduced: once, or after each of several backward passes.
struct Reductions {
    double times = 0;   ///< a step, where it is more than once
    double part = 0;    ///< of the steps, or without passes of the messages, in which it is so
    bool known = false; ///< ranges tell the passes, or sizes differ
};

[[nodiscard]] Reductions reductionsFromPasses(const Passes& passes, std::size_t least);

} // namespace ringside::rules
