// SPDX-License-Identifier: Apache-2.0
// A program with its NCCL linked in, and neither a CUDA runtime nor another NCCL.
#include "abi/nccl.h"

extern "C" {
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank);
ncclResult_t ncclAllReduce(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t);
}

int main()
{
    ncclComm_t comm = nullptr;
    ncclCommInitRank(&comm, 8, {}, 3);
    for (size_t count = 1; count <= 5; ++count) {
        ncclAllReduce(nullptr, nullptr, count * 1000, ncclFloat32, ncclSum, comm, nullptr);
    }
    return 0;
}
