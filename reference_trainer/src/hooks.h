// SPDX-License-Identifier: Apache-2.0
// Where a fault can take hold of the training. Everything is optional; without faults it is all as DDP does
// it.
#pragma once
#include "bucket_plan.h"

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace ringside::trainer {

struct Reduction;

struct Hooks {
    BucketLimits buckets;
    bool overlap = true;          ///< all-reduces start during backward
    bool pinned = true;           ///< batches are copied from pinned host memory
    bool reduceEveryPart = false; ///< with --accumulate: gradients travel with each part, not with the last
    /// Batches in flight for each of the loader's threads; 1: with one thread the next one is loaded when the
    /// last one was consumed.
    unsigned prefetch = 3;
    std::vector<std::function<void(std::uint64_t step)>> beforeLoad; ///< on the loader's threads
    std::vector<std::function<void(cudaStream_t)>> beforeTraining;   ///< once; may synchronise
    std::vector<std::function<void(cudaStream_t)>> afterForward;
    std::vector<std::function<void(cudaStream_t)>> afterLayer; ///< after each layer, forward and backward
    std::vector<std::function<void(std::uint64_t step, cudaStream_t)>> afterStep;
    std::function<bool(const Reduction&)> insteadOfReduction; ///< true: it was done, in another way
};

} // namespace ringside::trainer
