// SPDX-License-Identifier: Apache-2.0
// The moment of which a row of table `memory_state` tells: its column `moment`.
#pragma once
#include "trace/vocabulary/word.h"

#include <array>

namespace ringside::trace {

inline constexpr std::array kMemoryMoments{
    WordEntry{"snapshot", "When the snapshot was taken."},
    WordEntry{"peak", "When the program held most, as far back as the snapshot tells."},
    WordEntry{"out_of_memory", "When an allocation failed for the last time."},
};
using MemoryMoment = Word<kMemoryMoments>;

} // namespace ringside::trace
