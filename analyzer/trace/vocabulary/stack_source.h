// SPDX-License-Identifier: Apache-2.0
// Kind of a line of a stack: column `source` of table `stack`, and the first field of a line in a stack file.
#pragma once
#include "trace/vocabulary/word.h"

#include <array>

namespace ringside::trace {

inline constexpr std::array kStackSources{
    WordEntry{"native", "A frame of compiled code."},
    WordEntry{"python", "A frame of Python."},
    WordEntry{"note", "Why a stack is not there."},
};
using StackSource = Word<kStackSources>;

} // namespace ringside::trace
