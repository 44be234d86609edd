// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstddef>
#include <cstdint>

namespace ringside::trainer {

/// One bucket's all-reduce.
struct Reduction {
    std::uint64_t number = 0; ///< counted over all reductions since the start
    void* gradients = nullptr;
    std::size_t count = 0;
    ncclDataType_t type = ncclFloat;
    ncclComm_t communicator = nullptr;
    cudaStream_t stream = nullptr;
};

} // namespace ringside::trainer
