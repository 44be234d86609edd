// SPDX-License-Identifier: Apache-2.0
// Extra compute for the fault late_rank. The caller calibrates its length in ms.
#include "kernels.h"

// Only a GPU repeats each unit: under the device model, the host's own time must stay far below the modelled
// time, even if other programs take most of the host.
#define RS_GPU_REPEATS 256
#ifdef __CUDA_ARCH__
#define RS_UNIT_REPEATS RS_GPU_REPEATS
#else
#define RS_UNIT_REPEATS 1
#endif

RS_KERNEL(busy, (float* sink, unsigned iterations), {
    float value = sink[i];
    for (unsigned k = 0; k < iterations; ++k)
        for (unsigned repeat = 0; repeat < RS_UNIT_REPEATS; ++repeat)
            value = value * 0.999f + 0.001f;
    sink[i] = value;
})
RS_KERNEL_COST(busy, 2.0 * RS_GPU_REPEATS * RS_ARG(unsigned, 1), 8)
