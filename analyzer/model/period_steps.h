// SPDX-License-Identifier: Apache-2.0
// Steps of programs that mark none: the period of what their ranks call again and again. One rank's period
// and its begin hold for all: its steps begin on every other rank with the same collective, whatever kept
// that one from calling in time. Ranks that take no part in that collective count by themselves.
#pragma once
#include "model/collective_match.h"
#include "model/step_pattern.h"
#include "model/steps.h"
#include "model/steps_by.h"

#include <vector>

namespace ringside::model {

struct PeriodSteps {
    std::vector<std::vector<Step>> ofProcess; ///< of RunTrace::processes; on their own clocks
    std::size_t apart = 0; ///< processes whose steps begin with a collective that the others have no part in
    PeriodFound found;
};

/// Only of processes that hold one of the ranks.
[[nodiscard]] PeriodSteps stepsFromPeriod(const trace::RunTrace& trace, const std::vector<Rank>& ranks,
                                          const std::vector<Operation>& operations, const StepsBy& stepsBy);

} // namespace ringside::model
