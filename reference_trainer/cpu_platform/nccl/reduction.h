// SPDX-License-Identifier: Apache-2.0
// The arithmetic of reductions, as plain loops over a type and an operator.
#pragma once
#include <nccl.h>

#include <cstddef>

namespace ringside::nccl {

struct Reduction {
    /// accumulator[i] = accumulator[i] op input[i]
    void (*combine)(void* accumulator, const void* input, std::size_t count) = nullptr;
    /// Applied once to the combined values of `ranks` ranks; null where there is nothing to do.
    void (*finish)(void* values, std::size_t count, int ranks) = nullptr;
};

/// Bytes of one element; Failure(ncclInvalidArgument) for a type NCCL does not know.
[[nodiscard]] std::size_t elementSize(ncclDataType_t type);
/// Failure(ncclInvalidArgument) for unknown operators, (ncclInvalidUsage) for types we do not reduce yet.
[[nodiscard]] Reduction findReduction(ncclDataType_t type, ncclRedOp_t op);

} // namespace ringside::nccl
