// SPDX-License-Identifier: Apache-2.0
// From NCCL's NVTX ranges and communication kernels to units of work: a call, or an outermost group of calls,
// with the kernels that it launched. A kernel whose launch no range surrounds is a unit that nobody
// described.
#pragma once
#include "import/nsys/recording.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::importers::nsys {

struct Unit {
    std::vector<const NcclRange*> calls; ///< in their order; none: nobody told
    bool group = false;
    bool hosted = false; ///< the host's times are known
    std::int64_t startNs = 0;
    std::int64_t launchStartNs = 0; ///< of ncclGroupEnd
    std::int64_t endNs = 0;
    std::uint32_t tid = 0;
    std::vector<std::size_t> kernels; ///< rows, by start
    std::string_view surrounding;     ///< the function that PyTorch's annotation, or the kernel's name, tells
    bool annotated = false;           ///< it was the annotation
};

struct Units {
    std::vector<Unit> units;       ///< in the order in which they were put onto their streams
    std::int64_t sharedLaunch = 0; ///< kernels that share their launch with others, as those of a CUDA graph
    std::int64_t brokenGroups = 0; ///< ends of groups that began before the recording
};

/// `process` has its columns in the reader's order, and its strings; its ranges hold the kernel's thread ids.
[[nodiscard]] Units findUnits(const trace::ProcessTrace& process, const std::vector<NcclRange>& ranges);

} // namespace ringside::importers::nsys
