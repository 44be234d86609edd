// SPDX-License-Identifier: Apache-2.0
// Finds gradients that are infinite or NaN.
#include "kernels.h"

#include <cmath>

// All threads that find one write the same value. The comparison is false for a NaN, too.
RS_KERNEL(find_overflow, (const float* values, unsigned* found), {
    if (!(fabsf(values[i]) <= 3.402823466e38f))
        *found = 1u;
})
RS_KERNEL_COST(find_overflow, 1, 4)
