// SPDX-License-Identifier: Apache-2.0
// Softmax cross entropy, and its mean for the log.
#include "kernels.h"

#include <cmath>

RS_KERNEL(softmax_cross_entropy, (float* logits, const int* labels, float* losses, unsigned classes), {
    float* row = logits + i * classes;
    float largest = row[0];
    for (unsigned c = 1; c < classes; ++c)
        largest = row[c] > largest ? row[c] : largest;
    float sum = 0.0f;
    for (unsigned c = 0; c < classes; ++c)
        sum += expf(row[c] - largest);
    const unsigned label = static_cast<unsigned>(labels[i]);
    losses[i] = logf(sum) + largest - row[label];
    for (unsigned c = 0; c < classes; ++c)
        row[c] = (expf(row[c] - largest) / sum - (c == label ? 1.0f : 0.0f)) / static_cast<float>(n);
})
RS_KERNEL_COST(softmax_cross_entropy, 20.0 * RS_ARG(unsigned, 3), 8.0 * RS_ARG(unsigned, 3))

RS_KERNEL(mean_loss, (const float* losses, unsigned count, float* mean), {
    float sum = 0.0f;
    for (unsigned k = 0; k < count; ++k)
        sum += losses[k];
    mean[i] = sum / static_cast<float>(count);
})
// Only one thread of one block has work.
RS_KERNEL_COST(mean_loss, 1.0 * RS_ARG(unsigned, 1) / threads, 4.0 * RS_ARG(unsigned, 1) / threads)
