// SPDX-License-Identifier: Apache-2.0
// Puts ranges into the order that the reader guarantees, and computes how deep they nest.
#pragma once
#include <ringside/trace/rows.h>

#include <vector>

namespace ringside::importers {

/// Sorts ranges by start, outer ones first, and fills in their depth on their thread. Only ranges of flavour
/// 1 (push/pop) nest.
void nestRanges(std::vector<trace::RangeRow>& ranges);

} // namespace ringside::importers
