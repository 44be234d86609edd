// SPDX-License-Identifier: Apache-2.0
// Converts single precision to bfloat16 and back. A bfloat16 is the upper half of a float: the same
// exponents, 8 bits of precision.
#include "bits.h"
#include "kernels.h"

// Rounds to nearest, ties to even: half a unit of the last kept bit is added before the rest is cut off,
// slightly less if that bit is even. A value that rounds up beyond the largest becomes infinite. A NaN could
// lose its bits or overflow, so that it becomes the quiet NaN.
RS_KERNEL(to_bfloat16, (const float* values, unsigned short* halves), {
    const unsigned bits = ringside::trainer::bitsOf(values[i]);
    const unsigned rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
    halves[i] = static_cast<unsigned short>((bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFu : rounded);
})
RS_KERNEL_COST(to_bfloat16, 1, 6)

RS_KERNEL(from_bfloat16, (const unsigned short* halves, float* values),
          { values[i] = ringside::trainer::floatOf(static_cast<unsigned>(halves[i]) << 16); })
RS_KERNEL_COST(from_bfloat16, 1, 6)
