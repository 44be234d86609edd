// SPDX-License-Identifier: Apache-2.0
// Calls the libraries of embedded_stack.cpp and prints their results.
#include "abi/nccl.h"

#include <cstdio>

extern "C" {
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank);
ncclResult_t ncclAllReduce(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t);
__attribute__((weak)) ncclResult_t ncclCommRevoke(ncclComm_t comm, int flags);
cudaError_t cudaMalloc(void** pointer, size_t size);
}

extern "C" __attribute__((visibility("default"))) int runPlugin(int size)
{
    ncclComm_t comm = nullptr;
    const int made = ncclCommInitRank(&comm, size, {}, 1);
    const int reduced = ncclAllReduce(nullptr, nullptr, 7, ncclFloat32, ncclSum, comm, nullptr);
    void* memory = nullptr;
    const int allocated = cudaMalloc(&memory, 64);
    std::printf("made %d, reduced %d, allocated %d by copy %zu\n", made, reduced, allocated,
                reinterpret_cast<std::size_t>(memory));
    std::fflush(stdout);
    return made + reduced + allocated;
}

/// The answer of a function that only newer libraries have; -1 where there is none.
extern "C" __attribute__((visibility("default"))) int revoke(int size)
{
    ncclComm_t comm = nullptr;
    ncclCommInitRank(&comm, size, {}, 1);
    return ncclCommRevoke != nullptr ? ncclCommRevoke(comm, 0) : -1;
}
