// SPDX-License-Identifier: Apache-2.0
// Numbers the calls of profilers that did not start together. Some tools do not number the calls of a
// communicator, so that each file counts from its own first call. If a profiler started later, the same
// numbers stand for different collectives.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <span>

namespace ringside::importers {

/// Shifts the numbers of calls that every file counts from 0, so that the same collective has the same number
/// in all files. Its kernels end at the same moment on all ranks, whatever the offset of their clocks: right
/// is the shift with which the ends are at the most constant distance. If several are equally good, as with
/// steps that repeat exactly, the time of day decides. Returns the number of files whose calls were shifted.
/// All processes must be on one origin (common_clock.h).
[[nodiscard]] std::int64_t numberByTime(std::span<trace::ProcessTrace> processes);

} // namespace ringside::importers
