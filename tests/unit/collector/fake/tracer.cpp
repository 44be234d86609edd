// SPDX-License-Identifier: Apache-2.0
// Another preloaded tool, which stands in front of questions alone.
#include "abi/nccl.h"

extern "C" __attribute__((visibility("default"))) ncclResult_t ncclGetVersion(int* version)
{
    *version = 1;
    return ncclSuccess;
}
extern "C" __attribute__((visibility("default"))) cudaError_t cudaGetDevice(int* device)
{
    *device = 0;
    return cudaSuccess;
}
