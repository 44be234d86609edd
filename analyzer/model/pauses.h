// SPDX-License-Identifier: Apache-2.0
// When a process recorded nothing on purpose (table window, level paused). What lies there is neither idle
// time nor a step that was lost.
#pragma once
#include "model/time.h"

#include <ringside/trace/reader.h>

#include <vector>

namespace ringside::model {

/// Ascending and disjoint.
[[nodiscard]] std::vector<Interval> pausesOf(const trace::ProcessTrace& process);

/// The first of them that ends after `time`; null: there is none.
[[nodiscard]] const Interval* firstPauseAfter(const std::vector<Interval>& pauses, std::int64_t time);

/// Whether the stretch was recorded whole. A step begins and ends a window, and the two readings of the clock
/// lie apart: a hundredth of the stretch does not count.
[[nodiscard]] bool isRecordedWhole(const std::vector<Interval>& pauses, const Interval& stretch);

} // namespace ringside::model
