// SPDX-License-Identifier: Apache-2.0
// The times of a process of which a summary keeps all rows.
#pragma once
#include "model/steps.h"
#include "model/time.h"
#include "reduce/step_sample.h"
#include "trace/read/read_part.h"

#include <cstdint>
#include <vector>

namespace ringside::reduce {

struct KeptTimes {
    /// When the host was in steps that are kept; ascending, and neighbours are one interval.
    std::vector<model::Interval> host;
    /// What to read for it: device work may run some steps later than it was launched, and of the end of the
    /// process the last calls are kept.
    trace::TimeRanges read;

    [[nodiscard]] bool holds(std::int64_t hostNs) const;
};

/// Returns the times of the steps that are kept of a process. `steps` ascend.
[[nodiscard]] KeptTimes keptTimesOf(const std::vector<model::Step>& steps, const StepSample& sample);

} // namespace ringside::reduce
