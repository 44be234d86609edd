// SPDX-License-Identifier: Apache-2.0
// The bits of a float, for kernels: bfloat16 is their upper half, and without the sign bit they sort by
// magnitude.
#pragma once
#include <cstring>

#ifdef __CUDACC__
#define RS_HOST_DEVICE __host__ __device__
#else
#define RS_HOST_DEVICE
#endif

namespace ringside::trainer {

RS_HOST_DEVICE inline unsigned bitsOf(float value)
{
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

RS_HOST_DEVICE inline float floatOf(unsigned bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

} // namespace ringside::trainer
