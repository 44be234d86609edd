// SPDX-License-Identifier: Apache-2.0
// Sources of records, each active or not in a process: column `tier` of table `tier`.
#pragma once
#include "trace/vocabulary/word.h"

#include <array>

namespace ringside::trace {

inline constexpr std::array kTiers{
    WordEntry{"host", "Calls of CUDA and NCCL that the host made."},
    WordEntry{"nvtx", "NVTX ranges of the program."},
    WordEntry{"nccl", "NCCL's own events, from its profiler interface."},
    WordEntry{"device", "Kernels and copies on the GPU, from CUPTI."},
    WordEntry{"events", "Times of NCCL calls from CUDA events; on demand only."},
    WordEntry{"sampled", "Samples of GPU, links, process and host."},
};
using TierName = Word<kTiers>;

} // namespace ringside::trace
