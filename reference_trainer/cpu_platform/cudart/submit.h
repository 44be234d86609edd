// SPDX-License-Identifier: Apache-2.0
// The only way in which public functions queue work: in CUDA's order, or as a node of the graph that the
// stream captures.
#pragma once
#include "stream.h"

#include <cuda_runtime_api.h>

namespace ringside::platform {

struct Submitted {
    cudaError_t error = cudaSuccess;
    CompletionPtr done; ///< null if the work was captured or refused
};
/// Uses the calling function's correlation id. Takes ownership of the item's work, also on failure.
Submitted submit(Stream& stream, QueueItem item);
/// Submits and waits. Fails on a capturing stream, like every call that waits.
[[nodiscard]] cudaError_t submitAndWait(Stream& stream, QueueItem item);

} // namespace ringside::platform
