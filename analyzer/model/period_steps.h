// SPDX-License-Identifier: Apache-2.0
// Steps of programs that mark none: the period of what their ranks call again and again. One rank's period
// and its begin hold for all: its steps begin on every other rank with the same collective, whatever kept
// that one from calling in time. Ranks that take no part in that collective count by themselves.
#pragma once
#include "model/collective_match.h"
#include "model/steps.h"

#include <vector>

namespace ringside::model {

struct PeriodSteps {
    std::vector<std::vector<Step>> ofProcess; ///< of RunTrace::processes; on their own clocks
    std::size_t apart = 0; ///< processes whose steps begin with a collective that the others have no part in
};

/// Only of processes that hold one of the ranks.
[[nodiscard]] PeriodSteps stepsFromPeriod(const trace::RunTrace& trace, const std::vector<Rank>& ranks,
                                          const std::vector<Operation>& operations);

/// Length of the repeating pattern in a sequence, 0 if there is none that covers at least 90 % of it.
[[nodiscard]] std::size_t findPeriod(const std::vector<std::uint64_t>& tokens);

} // namespace ringside::model
