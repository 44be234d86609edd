// SPDX-License-Identifier: Apache-2.0
// Kernels of self attention beside the matrix products; an element is a row.
#include "kernels.h"

#include <cmath>

RS_KERNEL(softmax, (float* rows, unsigned width), {
    float* row = rows + i * width;
    float largest = row[0];
    for (unsigned k = 1; k < width; ++k)
        largest = row[k] > largest ? row[k] : largest;
    float sum = 0.0f;
    for (unsigned k = 0; k < width; ++k) {
        row[k] = expf(row[k] - largest);
        sum += row[k];
    }
    for (unsigned k = 0; k < width; ++k)
        row[k] /= sum;
})
RS_KERNEL_COST(softmax, 12.0 * RS_ARG(unsigned, 1), 8.0 * RS_ARG(unsigned, 1))

RS_KERNEL(softmax_backward, (const float* probabilities, float* gradients, unsigned width), {
    const float* chances = probabilities + i * width;
    float* row = gradients + i * width;
    float mean = 0.0f;
    for (unsigned k = 0; k < width; ++k)
        mean += chances[k] * row[k];
    for (unsigned k = 0; k < width; ++k)
        row[k] = chances[k] * (row[k] - mean);
})
RS_KERNEL_COST(softmax_backward, 4.0 * RS_ARG(unsigned, 2), 12.0 * RS_ARG(unsigned, 2))
