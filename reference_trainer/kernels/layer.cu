// SPDX-License-Identifier: Apache-2.0
// Kernels of a fully connected layer beside the matrix products.
#include "kernels.h"

RS_KERNEL(bias_relu, (float* y, const float* bias, unsigned width), {
    const float value = y[i] + bias[i % width];
    y[i] = value > 0.0f ? value : 0.0f;
})
RS_KERNEL_COST(bias_relu, 2, 12)

RS_KERNEL(bias_add, (float* y, const float* bias, unsigned width), { y[i] += bias[i % width]; })
RS_KERNEL_COST(bias_add, 1, 12)

RS_KERNEL(relu_backward, (float* gradient, const float* output), {
    if (output[i] <= 0.0f)
        gradient[i] = 0.0f;
})
RS_KERNEL_COST(relu_backward, 1, 12)

RS_KERNEL(bias_gradient, (const float* gradient, float* biasGradient, unsigned rows), {
    float sum = 0.0f;
    for (unsigned row = 0; row < rows; ++row)
        sum += gradient[row * n + i];
    biasGradient[i] = sum;
})
RS_KERNEL_COST(bias_gradient, 1.0 * RS_ARG(unsigned, 2), 4.0 * RS_ARG(unsigned, 2))
