// SPDX-License-Identifier: Apache-2.0
// Converts gradients to half precision and back, for reductions with half the bytes.
#include "kernels.h"

#ifdef __CUDACC__
#include <cuda_fp16.h>
using Half = __half;
#elif defined(__aarch64__)
using Half = __fp16; // the same format; g++ 12 has no _Float16 in C++ there
#else
__extension__ typedef _Float16 Half;
#endif

RS_KERNEL(to_half, (const float* values, unsigned short* halves),
          { reinterpret_cast<Half*>(halves)[i] = Half(values[i]); })
RS_KERNEL_COST(to_half, 1, 6)

RS_KERNEL(from_half, (const unsigned short* halves, float* values),
          { values[i] = float(reinterpret_cast<const Half*>(halves)[i]); })
RS_KERNEL_COST(from_half, 1, 6)
