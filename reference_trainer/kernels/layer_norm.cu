// SPDX-License-Identifier: Apache-2.0
// Layer normalisation; an element is a row.
#include "kernels.h"

#include <cmath>

RS_KERNEL(normalise, (const float* rows, float* normalised, float* inverseSpreads, unsigned width), {
    const float* row = rows + i * width;
    float sum = 0.0f;
    for (unsigned k = 0; k < width; ++k)
        sum += row[k];
    const float mean = sum / static_cast<float>(width);
    float squares = 0.0f;
    for (unsigned k = 0; k < width; ++k)
        squares += (row[k] - mean) * (row[k] - mean);
    const float inverse = 1.0f / sqrtf(squares / static_cast<float>(width) + 1e-5f);
    for (unsigned k = 0; k < width; ++k)
        normalised[i * width + k] = (row[k] - mean) * inverse;
    inverseSpreads[i] = inverse;
})
RS_KERNEL_COST(normalise, 7.0 * RS_ARG(unsigned, 3), 8.0 * RS_ARG(unsigned, 3))

RS_KERNEL(scale_and_shift,
          (const float* values, const float* scale, const float* shift, float* to, unsigned width),
          { to[i] = values[i] * (1.0f + scale[i % width]) + shift[i % width]; })
RS_KERNEL_COST(scale_and_shift, 3, 16)

RS_KERNEL(multiply_elements, (const float* left, const float* right, float* products),
          { products[i] = left[i] * right[i]; })
RS_KERNEL_COST(multiply_elements, 1, 12)

RS_KERNEL(normalise_backward,
          (const float* gradients, const float* scale, const float* normalised, const float* inverseSpreads,
           float* rowGradients, unsigned width),
          {
              const float* gradient = gradients + i * width;
              const float* value = normalised + i * width;
              float mean = 0.0f;
              float slope = 0.0f; // the part along the normalised row itself
              for (unsigned k = 0; k < width; ++k) {
                  const float scaled = gradient[k] * (1.0f + scale[k]);
                  mean += scaled;
                  slope += scaled * value[k];
              }
              mean /= static_cast<float>(width);
              slope /= static_cast<float>(width);
              for (unsigned k = 0; k < width; ++k)
                  rowGradients[i * width + k] =
                      inverseSpreads[i] * (gradient[k] * (1.0f + scale[k]) - mean - value[k] * slope);
          })
RS_KERNEL_COST(normalise_backward, 10.0 * RS_ARG(unsigned, 5), 16.0 * RS_ARG(unsigned, 5))
