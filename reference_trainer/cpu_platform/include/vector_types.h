// SPDX-License-Identifier: Apache-2.0
// The vector types of CUDA that launches use.
#pragma once

typedef struct uint3 {
    unsigned int x, y, z;
} uint3;

typedef struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    // NOLINTNEXTLINE(google-explicit-constructor): CUDA's own is implicit, and sources rely on it
    constexpr dim3(unsigned int xSize = 1, unsigned int ySize = 1, unsigned int zSize = 1)
        : x(xSize), y(ySize), z(zSize)
    {}
#endif
} dim3;
