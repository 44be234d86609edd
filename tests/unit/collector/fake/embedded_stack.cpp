// SPDX-License-Identifier: Apache-2.0
// NCCL and the CUDA runtime inside a shared object of the program with visible symbols, as if they were
// linked statically into it. Each copy (COPY) only accepts its own communicators.
#include "abi/nccl.h"

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

struct ncclComm {
    int copy;
    int size;
    int rank;
};

namespace {

ncclResult_t answer(const ncclComm* comm, int value, int* to)
{
    *to = value;
    return comm->copy == COPY ? ncclSuccess : ncclInvalidUsage;
}

} // namespace

FAKE_EXPORT ncclResult_t ncclGetVersion(int* version)
{
    *version = 20000 + COPY;
    return ncclSuccess;
}
FAKE_EXPORT ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId, int rank)
{
    *comm = new ncclComm{COPY, size, rank};
    return ncclSuccess;
}
FAKE_EXPORT ncclResult_t ncclCommCount(const ncclComm_t comm, int* count)
{
    return answer(comm, comm->size, count);
}
FAKE_EXPORT ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank)
{
    return answer(comm, comm->rank, rank);
}
FAKE_EXPORT ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int* device)
{
    return answer(comm, 0, device);
}
FAKE_EXPORT ncclResult_t ncclAllReduce(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t,
                                       ncclComm_t comm, cudaStream_t)
{
    return comm->copy == COPY ? ncclSuccess : ncclInvalidUsage;
}
#if COPY == 2 // a newer NCCL, which has more
FAKE_EXPORT ncclResult_t ncclCommRevoke(ncclComm_t comm, int)
{
    return comm->copy == COPY ? ncclSuccess : ncclInvalidUsage;
}
#endif
FAKE_EXPORT cudaError_t cudaGetDevice(int* device)
{
    *device = 0;
    return cudaSuccess;
}
FAKE_EXPORT cudaError_t cudaMalloc(void** pointer, size_t)
{
    *pointer = reinterpret_cast<void*>(COPY);
    return cudaSuccess;
}
