// SPDX-License-Identifier: Apache-2.0
// Gradients of several batches added up before they are reduced.
#include "kernels.h"

RS_KERNEL(accumulate, (float* sums, const float* values), { sums[i] += values[i]; })
RS_KERNEL_COST(accumulate, 1, 12)
