// SPDX-License-Identifier: Apache-2.0
// The two 16-bit floating point types: their names in the libraries, and the kernels that convert to and from
// them.
#pragma once
#include "gpu.h"
#include "kernels/kernels.h"

#include <string_view>
#include <type_traits>

namespace ringside::trainer {

struct HalfType {
    cudaDataType blas;
    ncclDataType_t nccl;
    std::remove_const_t<decltype(launch_to_half)> narrow;
    std::remove_const_t<decltype(launch_from_half)> widen;
};

/// `name` is "fp16" or "bf16".
[[nodiscard]] inline HalfType halfType(std::string_view name)
{
    if (name == "bf16")
        return {CUDA_R_16BF, ncclBfloat16, launch_to_bfloat16, launch_from_bfloat16};
    return {CUDA_R_16F, ncclHalf, launch_to_half, launch_from_half};
}

} // namespace ringside::trainer
