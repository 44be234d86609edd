// SPDX-License-Identifier: Apache-2.0
// The mean of a sample's rows, and its gradient.
#include "kernels.h"

RS_KERNEL(mean_rows, (const float* values, float* means, unsigned rows, unsigned width), {
    const float* column = values + i / width * rows * width + i % width;
    float sum = 0.0f;
    for (unsigned row = 0; row < rows; ++row)
        sum += column[row * width];
    means[i] = sum / static_cast<float>(rows);
})
RS_KERNEL_COST(mean_rows, 1.0 * RS_ARG(unsigned, 2), 4.0 * RS_ARG(unsigned, 2) + 4)

RS_KERNEL(mean_rows_backward, (const float* meanGradients, float* gradients, unsigned rows, unsigned width), {
    gradients[i] = meanGradients[i / (rows * width) * width + i % width] / static_cast<float>(rows);
})
RS_KERNEL_COST(mean_rows_backward, 1, 8)
