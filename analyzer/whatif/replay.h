// SPDX-License-Identifier: Apache-2.0
// Runs a plan: every rank's host launches in its order, work starts when its launch, its stream and what it
// waits for let it, and collectives end together. Needs no model and no trace.
#pragma once
#include "whatif/plan.h"

namespace ringside::whatif {

/// Mean time a step, ns, after a warm-up as long as what is measured; with accumulation a step is one of the
/// small ones. Throws ringside::Error (Unusable) where ranks wait for each other in a circle.
[[nodiscard]] double replayStepNs(const Plan& plan);

} // namespace ringside::whatif
