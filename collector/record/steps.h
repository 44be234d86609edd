// SPDX-License-Identifier: Apache-2.0
// Tells the collector that the program began a step.
#pragma once
#include "record/step_counts.h"

namespace ringside::collector {

/// Counts the step, and applies the level that holds from it on.
void noteStep(StepCounts& ofThread, StepSource source);

} // namespace ringside::collector
