// SPDX-License-Identifier: Apache-2.0
// Kernels of convolution and max pooling beside the matrix products. Images are
// [image][row][column][channel], so that the pixels under a row of the filter are adjacent. Filters are 3 x 3
// without padding. Windows are 2 x 2; a last odd row or column is in no window. An element is a place with
// all its channels: with one channel for each element, computing the place would cost a CPU several times the
// work itself.
#include "kernels.h"

RS_KERNEL(im2col, (const float* images, float* columns, unsigned side, unsigned channels), {
    const unsigned placesASide = side - 2;
    const unsigned filterRow = i % 3;
    const unsigned place = i / 3;
    const unsigned x = place % placesASide;
    const unsigned line = place / placesASide; // line over all images' places
    const unsigned row = line / placesASide * side + line % placesASide + filterRow;
    const float* from = images + (row * side + x) * channels;
    float* to = columns + i * 3 * channels;
    for (unsigned k = 0; k < 3 * channels; ++k)
        to[k] = from[k];
})
RS_KERNEL_COST(im2col, 0, 8 * 3.0 * RS_ARG(unsigned, 3))

RS_KERNEL(col2im, (const float* columnGradients, float* imageGradients, unsigned side, unsigned channels), {
    const unsigned placesASide = side - 2;
    const unsigned x = i % side;
    const unsigned line = i / side;
    const unsigned y = line % side;
    const unsigned firstLine = line / side * placesASide;
    float* to = imageGradients + i * channels;
    for (unsigned channel = 0; channel < channels; ++channel)
        to[channel] = 0.0f;
    for (unsigned tap = 0; tap < 9; ++tap) {
        // If the filter would begin outside the image, the unsigned difference wraps around and is too large.
        const unsigned placeY = y - tap / 3;
        const unsigned placeX = x - tap % 3;
        if (placeY >= placesASide || placeX >= placesASide)
            continue;
        const unsigned place = (firstLine + placeY) * placesASide + placeX;
        const float* from = columnGradients + (place * 9 + tap) * channels;
        for (unsigned channel = 0; channel < channels; ++channel)
            to[channel] += from[channel];
    }
})
RS_KERNEL_COST(col2im, 9.0 * RS_ARG(unsigned, 3), 40.0 * RS_ARG(unsigned, 3))

RS_KERNEL(max_pool,
          (const float* images, float* pooled, unsigned char* choices, unsigned side, unsigned channels), {
              const unsigned windowsASide = side / 2;
              const unsigned x = i % windowsASide * 2;
              const unsigned line = i / windowsASide;
              const unsigned row = line / windowsASide * side + line % windowsASide * 2;
              for (unsigned channel = 0; channel < channels; ++channel) {
                  const float* corner = images + (row * side + x) * channels + channel;
                  float largest = corner[0];
                  unsigned char choice = 1;
                  for (unsigned k = 1; k < 4; ++k) {
                      const float value = corner[(k / 2 * side + k % 2) * channels];
                      choice = value > largest ? static_cast<unsigned char>(1 << k) : choice;
                      largest = value > largest ? value : largest;
                  }
                  pooled[i * channels + channel] = largest;
                  choices[i * channels + channel] = choice;
              }
          })
RS_KERNEL_COST(max_pool, 3.0 * RS_ARG(unsigned, 4), 21.0 * RS_ARG(unsigned, 4))

RS_KERNEL(max_pool_backward,
          (const float* pooledGradients, const unsigned char* choices, float* imageGradients, unsigned side,
           unsigned channels),
          {
              const unsigned windowsASide = side / 2;
              const unsigned x = i % side;
              const unsigned line = i / side;
              const unsigned y = line % side;
              const unsigned window = (line / side * windowsASide + y / 2) * windowsASide + x / 2;
              const bool inWindow = x / 2 < windowsASide && y / 2 < windowsASide;
              const unsigned own = inWindow ? y % 2 * 2 + x % 2 : 4;
              const unsigned first = inWindow ? window * channels : 0; // a readable address
              for (unsigned channel = 0; channel < channels; ++channel) {
                  // A factor instead of a branch: choices are nearly random, so that the CPU would mispredict
                  // a branch.
                  const int chosen = choices[first + channel] >> own & 1;
                  imageGradients[i * channels + channel] =
                      static_cast<float>(chosen) * pooledGradients[first + channel];
              }
          })
RS_KERNEL_COST(max_pool_backward, 1.0 * RS_ARG(unsigned, 4), 5.25 * RS_ARG(unsigned, 4))

RS_KERNEL(column_sums, (const float* values, float* sums, unsigned rows, unsigned width, unsigned rowsASum), {
    const unsigned first = i / width * rowsASum;
    const unsigned last = first + rowsASum < rows ? first + rowsASum : rows;
    float sum = 0.0f;
    for (unsigned row = first; row < last; ++row)
        sum += values[row * width + i % width];
    sums[i] = sum;
})
RS_KERNEL_COST(column_sums, 1.0 * RS_ARG(unsigned, 4), 4.0 * RS_ARG(unsigned, 4))
