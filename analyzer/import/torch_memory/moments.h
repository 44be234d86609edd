// SPDX-License-Identifier: Apache-2.0
// What a GPU's allocator held when the snapshot was taken, at the peak and at the last out-of-memory. The
// state at an earlier moment follows from the blocks at the end and the events before it, as in PyTorch's
// own viewer (torch/utils/viz/MemoryViz.js): what was freed without being allocated was there before.
#pragma once
#include "import/torch_memory/snapshot.h"
#include "trace/vocabulary/memory_moment.h"

#include <map>
#include <utility>
#include <vector>

namespace ringside::importers::torch_memory {

struct Held {
    std::int64_t bytes = 0;
    std::int64_t blocks = 0;
};
/// By the stack that allocated it and the category. A stack that is not known is Values::kNone.
using Holders = std::map<std::pair<pickle::ValueId, pickle::ValueId>, Held>;

/// How the reserved memory is cut up.
struct Layout {
    std::int64_t allocated = 0; ///< in blocks that the program holds
    std::int64_t active = 0;    ///< with those that await their free
    std::int64_t inactiveSplit =
        0; ///< in free blocks that cannot be given back: the rest of their segment is in use
    std::int64_t largestFree = 0; ///< the largest block that a program could get without new memory
};

struct Moment {
    trace::MemoryMoment what;
    std::optional<std::int64_t> dateNs;
    std::int64_t requested = 0; ///< that the program asked for and holds, or that awaits its free
    std::int64_t reserved = 0;
    std::optional<std::int64_t> events;     ///< of a peak: among so many it was found
    std::optional<Layout> layout;           ///< null: an event after the moment changed it
    std::optional<std::int64_t> wanted;     ///< of an allocation that failed
    std::optional<std::int64_t> deviceFree; ///< what CUDA had left then
    Holders holders;
};

struct Moments {
    std::vector<Moment> moments;     ///< first that of the snapshot
    std::int64_t contradictions = 0; ///< events that contradict each other or the blocks
    std::int64_t uncertainBytes = 0; ///< by which earlier moments may be wrong for that reason
};

[[nodiscard]] Moments momentsOf(const Device& device);

} // namespace ringside::importers::torch_memory
