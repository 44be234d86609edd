// SPDX-License-Identifier: Apache-2.0
// The plugin of loader.cpp: linked to NCCL, loaded RTLD_LOCAL.
#include "abi/nccl.h"

extern "C" {
ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank);
ncclResult_t ncclAllReduce(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t);
}

extern "C" __attribute__((visibility("default"))) int runPlugin()
{
    ncclUniqueId id{};
    ncclGetUniqueId(&id);
    ncclComm_t comm = nullptr;
    ncclCommInitRank(&comm, 2, id, 1);
    return ncclAllReduce(nullptr, nullptr, 7, ncclFloat32, ncclSum, comm, nullptr);
}
