// SPDX-License-Identifier: Apache-2.0
// Arithmetic of reductions, as plain loops for a type and an operator. 16 and 8 bit floating point types are
// combined in float and rounded after each step; for two operands, the result is correctly rounded.
#pragma once
#include <nccl.h>

#include <array>
#include <cstddef>

namespace ringside::nccl {

struct Reduction {
    /// Multiplies a rank's inputs by a factor of the same type; null if there is no factor.
    void (*prepare)(void* values, std::size_t count, const void* factor) = nullptr;
    /// accumulator[i] = accumulator[i] op input[i]
    void (*combine)(void* accumulator, const void* input, std::size_t count) = nullptr;
    /// Applied once to the combined values of `ranks` ranks; null if there is nothing to do.
    void (*finish)(void* values, std::size_t count, int ranks) = nullptr;
};

/// Returns the bytes of one element. Throws Failure(ncclInvalidArgument) for an unknown type.
[[nodiscard]] std::size_t elementSize(ncclDataType_t type);
/// `op` is a built-in operator, or one created by the program: those multiply and sum.
[[nodiscard]] Reduction findReduction(ncclDataType_t type, ncclRedOp_t op);
/// Returns the factor of ncclAvg for each input: 1/ranks in the type's bytes. Integers have none: their sum
/// is divided, rounding towards zero.
[[nodiscard]] std::array<std::byte, 8> averageFactor(ncclDataType_t type, int ranks);

} // namespace ringside::nccl
