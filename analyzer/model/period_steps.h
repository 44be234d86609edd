// SPDX-License-Identifier: Apache-2.0
// Steps of programs that mark none: the period of what their ranks call again and again. One rank's period
// and its begin hold for all: its steps begin on every other rank with the same collective, whatever kept
// that one from calling in time. Ranks that take no part in that collective count by themselves.
#pragma once
#include "model/collective_match.h"
#include "model/step_pattern.h"
#include "model/steps.h"

#include <vector>

namespace ringside::model {

/// What the steps were found by.
struct PeriodFound {
    std::size_t calls = 0; ///< of one step, on the rank whose steps hold for the others
    StepWitnesses witnesses;
    StepConfidence confidence = StepConfidence::Low; ///< of the ranks counted apart the lowest
};

struct PeriodSteps {
    std::vector<std::vector<Step>> ofProcess; ///< of RunTrace::processes; on their own clocks
    std::size_t apart = 0; ///< processes whose steps begin with a collective that the others have no part in
    PeriodFound found;
};

/// Only of processes that hold one of the ranks.
[[nodiscard]] PeriodSteps stepsFromPeriod(const trace::RunTrace& trace, const std::vector<Rank>& ranks,
                                          const std::vector<Operation>& operations);

} // namespace ringside::model
