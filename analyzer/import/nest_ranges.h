// SPDX-License-Identifier: Apache-2.0
// The order of ranges that the reader promises, and how deep they nest.
#pragma once
#include <ringside/trace/rows.h>

#include <vector>

namespace ringside::importers {

/// Ranges by start, outer ones first, with their depth on their thread; only ranges of flavour 1 nest.
void nestRanges(std::vector<trace::RangeRow>& ranges);

} // namespace ringside::importers
