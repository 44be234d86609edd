// SPDX-License-Identifier: Apache-2.0
// Joins NCCL's NVTX ranges and communication kernels to units of work. A unit is a call or an outermost group
// of calls, with the kernels that it launched. A kernel whose launch is in no range is a unit without calls.
#pragma once
#include "import/nsys/recording.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::importers::nsys {

struct Unit {
    std::vector<const NcclRange*> calls; ///< in order; empty if no range describes the unit
    bool group = false;
    bool hosted = false; ///< whether the host's times are known
    std::int64_t startNs = 0;
    std::int64_t launchStartNs = 0; ///< start of ncclGroupEnd for a group, else of the call
    std::int64_t endNs = 0;
    std::uint32_t tid = 0;
    std::vector<std::size_t> kernels; ///< rows, ordered by start
    std::string_view surrounding; ///< NCCL function from PyTorch's annotation, else from the kernel's name
    bool annotated = false;       ///< whether `surrounding` is from the annotation
};

struct Units {
    std::vector<Unit> units;       ///< in the order in which they were queued on their streams
    std::int64_t sharedLaunch = 0; ///< kernels that share their launch with others, such as in a CUDA graph
    std::int64_t brokenGroups = 0; ///< ends of groups that began before the recording
};

/// Finds the units of a process. Its columns must be in the reader's order and its strings complete; its
/// ranges must contain the kernel's thread ids.
[[nodiscard]] Units findUnits(const trace::ProcessTrace& process, const std::vector<NcclRange>& ranges);

} // namespace ringside::importers::nsys
