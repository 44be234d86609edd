// SPDX-License-Identifier: Apache-2.0
// Puts processes of foreign files on one clock. Native processes of a host share CLOCK_MONOTONIC; what other
// tools wrote counts from origins of their own, but mostly knows the time of day.
#pragma once
#include <ringside/trace/reader.h>

#include <span>

namespace ringside::importers {

/// Adds `ns` to every moment (not to durations) of a process; clock samples keep their time of day. Returns
/// false, and changes nothing, where a time would leave what the reader believes.
bool shiftTimes(trace::ProcessTrace& process, std::int64_t ns);

/// Shifts all processes that have a clock sample to the origin of the first of them. Returns how many could
/// not be, because they lie years apart.
std::int64_t useOneOrigin(std::span<trace::ProcessTrace> processes);

} // namespace ringside::importers
