// SPDX-License-Identifier: Apache-2.0
// How much is recorded at a moment: column `level` of table `window`.
#pragma once
#include "trace/vocabulary/word.h"

#include <array>

namespace ringside::trace {

/// Each level records what the one before it records, and more. Texts end with a 0.
inline constexpr std::array kLevels{
    WordEntry{"paused",
              "Definitions and the numbering of collectives, which later records need; nothing else."},
    WordEntry{"light", "Host calls, NVTX, NCCL's host events, samples."},
    WordEntry{"standard", "Also what runs on the GPU (device tier)."},
    WordEntry{"deep", "Also NCCL's channel times and proxy steps."},
};
using LevelName = Word<kLevels>;

} // namespace ringside::trace
