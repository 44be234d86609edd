// SPDX-License-Identifier: Apache-2.0
// The one way in which public functions put something into a stream: queued in CUDA's order, or made a node
// of the graph that the stream is capturing.
#pragma once
#include "stream.h"

#include <cuda_runtime_api.h>

namespace ringside::platform {

struct Submitted {
    cudaError_t error = cudaSuccess;
    CompletionPtr done; ///< null when it was captured or refused
};
/// Under the calling function's correlation id. Takes the item's work, also when it fails.
Submitted submit(Stream& stream, QueueItem item);
/// The same, then waits. On a capturing stream an error, as for every call that waits.
[[nodiscard]] cudaError_t submitAndWait(Stream& stream, QueueItem item);

} // namespace ringside::platform
