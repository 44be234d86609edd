// SPDX-License-Identifier: Apache-2.0
// The arithmetic of reductions, as plain loops over a type and an operator. 16 and 8 bit floating point types
// are combined in float and rounded after each step, which for two operands is correctly rounded.
#pragma once
#include <nccl.h>

#include <array>
#include <cstddef>

namespace ringside::nccl {

struct Reduction {
    /// Multiplies a rank's inputs by a factor of the same type; null where there is none.
    void (*prepare)(void* values, std::size_t count, const void* factor) = nullptr;
    /// accumulator[i] = accumulator[i] op input[i]
    void (*combine)(void* accumulator, const void* input, std::size_t count) = nullptr;
    /// Applied once to the combined values of `ranks` ranks; null where there is nothing to do.
    void (*finish)(void* values, std::size_t count, int ranks) = nullptr;
};

/// Bytes of one element; Failure(ncclInvalidArgument) for a type NCCL does not know.
[[nodiscard]] std::size_t elementSize(ncclDataType_t type);
/// For a built-in operator, or any that was made by the program: those multiply and sum.
[[nodiscard]] Reduction findReduction(ncclDataType_t type, ncclRedOp_t op);
/// What ncclAvg multiplies each input with: 1/ranks in the type's bytes. Integers have none: their sum is
/// divided, towards zero.
[[nodiscard]] std::array<std::byte, 8> averageFactor(ncclDataType_t type, int ranks);

} // namespace ringside::nccl
