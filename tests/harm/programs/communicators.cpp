// SPDX-License-Identifier: Apache-2.0
// A program that splits a communicator without waiting, gives the child up, and leaves its handle in the
// variable. NCCL must not be asked about that handle any more.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <dlfcn.h>

#include <cstdio>

namespace {

ncclComm_t g_child;

bool settled(ncclComm_t communicator)
{
    ncclResult_t state = ncclInProgress;
    while (ncclCommGetAsyncError(communicator, &state) == ncclSuccess && state == ncclInProgress) {
    }
    return state == ncclSuccess;
}

/// Through a pointer of the program's own, as ctypes does it.
ncclComm_t madePastTheWrappers()
{
    void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD);
    auto* const init = reinterpret_cast<decltype(&ncclCommInitRank)>(dlsym(library, "ncclCommInitRank"));
    ncclComm_t communicator = nullptr;
    ncclUniqueId id{};
    return ncclGetUniqueId(&id) == ncclSuccess && init(&communicator, 1, id, 0) == ncclSuccess ? communicator
                                                                                               : nullptr;
}

} // namespace

int main()
{
    ncclUniqueId id{};
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ncclComm_t parents[2] = {};
    ncclGetUniqueId(&id);
    ncclGroupStart();
    for (int rank = 0; rank < 2; ++rank) {
        cudaSetDevice(rank);
        ncclCommInitRankConfig(&parents[rank], 2, id, rank, &config);
    }
    ncclGroupEnd();
    bool works = settled(parents[0]) && settled(parents[1]);
    ncclCommSplit(parents[0], 0, 0, &g_child, &config); // which the other rank never joins
    ncclCommAbort(parents[0]);
    ncclCommAbort(parents[1]);
    g_child = parents[0];

    void* memory = nullptr;
    cudaSetDevice(0);
    works = cudaMalloc(&memory, 1024) == cudaSuccess && works;
    const ncclComm_t other = madePastTheWrappers();
    works = ncclAllReduce(memory, memory, 256, ncclFloat, ncclSum, other, nullptr) == ncclSuccess && works;
    works = cudaDeviceSynchronize() == cudaSuccess && works;
    ncclCommDestroy(other);
    std::printf("%s\n", works ? "worked" : "failed");
    return works ? 0 : 1;
}
