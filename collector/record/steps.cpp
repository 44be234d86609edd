// SPDX-License-Identifier: Apache-2.0
#include "record/steps.h"

#include "record/levels.h"
#include "record/ring.h"

namespace ringside::collector {

void noteStep(StepCounts& ofThread, StepSource source)
{
    const std::uint32_t steps = countStep(ofThread, source);
    // The level changes with the step that begins, not at the drain thread's next pass. The drain thread
    // is woken to do its part now: loading and starting CUPTI.
    const auto firstOfWindow = static_cast<std::uint64_t>(plan().windows.firstStep);
    if (applyLevel() || steps + kReadyAheadSteps == firstOfWindow) {
        requestDrain();
    }
}

} // namespace ringside::collector
