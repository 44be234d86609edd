// SPDX-License-Identifier: Apache-2.0
// The level of recording: column `level` of table `window`.
#pragma once
#include "trace/vocabulary/word.h"

#include <array>

namespace ringside::trace {

/// Each level also records everything that the previous one records. Texts are zero-terminated.
inline constexpr std::array kLevels{
    WordEntry{"paused",
              "Definitions and the numbering of collectives, which later records need; nothing else."},
    WordEntry{"light", "Host calls, NVTX, NCCL's host events, samples."},
    WordEntry{"standard", "Also what runs on the GPU (device tier)."},
    WordEntry{"deep", "Also NCCL's channel times and proxy steps."},
};
using LevelName = Word<kLevels>;

} // namespace ringside::trace
