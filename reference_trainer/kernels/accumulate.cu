// SPDX-License-Identifier: Apache-2.0
// Adds up the gradients of several batches before they are reduced.
#include "kernels.h"

RS_KERNEL(accumulate, (float* sums, const float* values), { sums[i] += values[i]; })
RS_KERNEL_COST(accumulate, 1, 12)
