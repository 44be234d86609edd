// SPDX-License-Identifier: Apache-2.0
// Places where a fault can change the training. Every hook is optional; without faults, training works as in
// DDP.
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
    bool overlap = true; ///< all-reduces start during backward
    bool pinned = true;  ///< batches are copied from pinned host memory
    /// with --accumulate: gradients are reduced with each part, not only with the last
    bool reduceEveryPart = false;
    /// Batches in flight for each loader thread; 1: with one thread, the next batch is loaded when the last
    /// one was consumed.
    unsigned prefetch = 3;
    std::vector<std::function<void(std::uint64_t step)>> beforeLoad; ///< on the loader's threads
    std::vector<std::function<void(cudaStream_t)>> beforeTraining;   ///< called once; may synchronise
    std::vector<std::function<void(cudaStream_t)>> afterForward;
    /// called after each layer, forward and backward
    std::vector<std::function<void(cudaStream_t)>> afterLayer;
    std::vector<std::function<void(std::uint64_t step, cudaStream_t)>> afterStep;
    /// returns true if it did the reduction in another way
    std::function<bool(const Reduction&)> insteadOfReduction;
};

} // namespace ringside::trainer
