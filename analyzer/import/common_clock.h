// SPDX-License-Identifier: Apache-2.0
// Puts imported processes on one clock. Native processes of a host share CLOCK_MONOTONIC. Files of other
// tools have origins of their own, but most contain the time of day.
#pragma once
#include <ringside/trace/reader.h>

#include <span>

namespace ringside::importers {

/// Adds `ns` to every point in time of a process, but not to durations; clock samples keep their time of day.
/// Returns false and changes nothing if a time would become implausible (trace/read/plausible.h).
bool shiftTimes(trace::ProcessTrace& process, std::int64_t ns);

/// Shifts all processes that have a clock sample to the origin of the first of them. Returns the number of
/// processes that could not be shifted because they are years apart.
std::int64_t useOneOrigin(std::span<trace::ProcessTrace> processes);

} // namespace ringside::importers
