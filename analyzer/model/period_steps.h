// SPDX-License-Identifier: Apache-2.0
// Finds the steps of programs that mark none, from the period of the calls that ranks repeat. The period and
// begin of one rank apply to all: its steps begin on every other rank with the same collective, however late
// the other rank called it. Ranks that take no part in that collective are numbered separately.
#pragma once
#include "model/collective_match.h"
#include "model/step_pattern.h"
#include "model/steps.h"
#include "model/steps_by.h"

#include <vector>

namespace ringside::model {

struct PeriodSteps {
    std::vector<std::vector<Step>> ofProcess; ///< by index of RunTrace::processes, on the process's clock
    std::size_t apart = 0;                    ///< number of processes whose steps are numbered separately
    PeriodFound found;
};

/// Finds the steps of all processes that hold one of the ranks. Other processes get none.
[[nodiscard]] PeriodSteps stepsFromPeriod(const trace::RunTrace& trace, const std::vector<Rank>& ranks,
                                          const std::vector<Operation>& operations, const StepsBy& stepsBy);

} // namespace ringside::model
