// SPDX-License-Identifier: Apache-2.0
// Replays a plan: each rank's host launches in its order, work starts after its launch, the work before it on
// its stream and its dependencies, and collectives end on all ranks together. It needs no model and no trace.
#pragma once
#include "whatif/plan.h"

namespace ringside::whatif {

/// Returns the mean time per step, ns, after a warm-up as long as the measurement; with accumulation, a step
/// is one batch. Throws ringside::Error (Unusable) if ranks wait for each other in a circle.
[[nodiscard]] double replayStepNs(const Plan& plan);

} // namespace ringside::whatif
