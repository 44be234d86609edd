// SPDX-License-Identifier: Apache-2.0
// What cut the run into the stretches of table `step_summary`: its column `source`.
#pragma once
#include "trace/vocabulary/word.h"

#include <array>

namespace ringside::trace {

inline constexpr std::array kSummarySources{
    WordEntry{"mark", "The program marked its steps with ringside/collector.h."},
    WordEntry{"range", "NVTX ranges that are named like steps."},
    WordEntry{"time", "Nothing marks steps: stretches of a fixed time."},
};
using SummarySource = Word<kSummarySources>;

} // namespace ringside::trace
