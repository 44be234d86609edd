// SPDX-License-Identifier: Apache-2.0
// Finds when a process recorded nothing on purpose (rows of the window table with level "paused"). Such a
// time is neither idle time nor a lost step.
#pragma once
#include "model/time.h"

#include <ringside/trace/reader.h>

#include <vector>

namespace ringside::model {

/// Returns the pauses of a process, ascending and disjoint.
[[nodiscard]] std::vector<Interval> pausesOf(const trace::ProcessTrace& process);

/// Returns the first pause that ends after `time`, or null if there is none. The result points into `pauses`.
[[nodiscard]] const Interval* firstPauseAfter(const std::vector<Interval>& pauses, std::int64_t time);

/// Returns whether the stretch was recorded without a pause. Pauses of up to a hundredth of the stretch do
/// not count: a window begins and ends with a step, but the clock is read separately for the two.
[[nodiscard]] bool isRecordedWhole(const std::vector<Interval>& pauses, const Interval& stretch);

} // namespace ringside::model
