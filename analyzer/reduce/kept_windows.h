// SPDX-License-Identifier: Apache-2.0
// Rows of table window that say of which times a summary has rows.
#pragma once
#include "model/time.h"

#include <ringside/trace/reader.h>

#include <vector>

namespace ringside::reduce {

/// Returns the windows of a process as far as they lie within `kept` (ascending, disjoint), and pauses for
/// the times between, before and behind it.
[[nodiscard]] std::vector<trace::WindowRow> keptWindows(const trace::ProcessTrace& process,
                                                        const std::vector<model::Interval>& kept);

} // namespace ringside::reduce
