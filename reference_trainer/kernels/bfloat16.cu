// SPDX-License-Identifier: Apache-2.0
// Single precision to bfloat16 and back. A bfloat16 is the upper half of a float: same exponents, 8 bits of
// precision.
#include "bits.h"
#include "kernels.h"

// Half a unit of the last bit kept is added before the rest is cut off, a little less where that bit is even:
// to nearest, ties to even; what rounds up beyond the largest becomes infinite by itself. A NaN's bits could
// be lost or overflow so: it becomes the quiet one.
RS_KERNEL(to_bfloat16, (const float* values, unsigned short* halves), {
    const unsigned bits = ringside::trainer::bitsOf(values[i]);
    const unsigned rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
    halves[i] = static_cast<unsigned short>((bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFu : rounded);
})
RS_KERNEL_COST(to_bfloat16, 1, 6)

RS_KERNEL(from_bfloat16, (const unsigned short* halves, float* values),
          { values[i] = ringside::trainer::floatOf(static_cast<unsigned>(halves[i]) << 16); })
RS_KERNEL_COST(from_bfloat16, 1, 6)
