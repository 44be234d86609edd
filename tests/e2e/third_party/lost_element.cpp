// SPDX-License-Identifier: Apache-2.0
// A broken library for nccl-tests to find: preloaded, it leaves out the last element of every all-reduce. It
// proves that the data check can fail.
#include <nccl.h>

#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) ncclResult_t
ncclAllReduce(const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype, ncclRedOp_t op,
              ncclComm_t comm, cudaStream_t stream)
{
    static const auto real = reinterpret_cast<decltype(&ncclAllReduce)>(dlsym(RTLD_NEXT, "ncclAllReduce"));
    return real(sendbuff, recvbuff, count - 1, datatype, op, comm, stream);
}
