// SPDX-License-Identifier: Apache-2.0
// Another tool that is preloaded before or after the collector. It wraps the same functions, like memory and
// communication tracers, and prints at the end which calls it saw.
#include "abi/cuda.h"
#include "abi/nccl.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>

namespace {

std::atomic<long> g_reductions{0};
std::atomic<long> g_synchronisations{0};

struct AtTheEnd {
    ~AtTheEnd()
    {
        std::printf("interposer: %ld reductions, %ld synchronisations\n", g_reductions.load(),
                    g_synchronisations.load());
        std::fflush(stdout);
    }
};
AtTheEnd g_atTheEnd;

} // namespace

extern "C" __attribute__((visibility("default"))) ncclResult_t
ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
              cudaStream_t stream)
{
    ++g_reductions;
    static auto* const real = reinterpret_cast<decltype(&ncclAllReduce)>(dlsym(RTLD_NEXT, "ncclAllReduce"));
    return real(from, to, count, type, op, comm, stream);
}

extern "C" __attribute__((visibility("default"))) cudaError_t cudaDeviceSynchronize()
{
    ++g_synchronisations;
    static auto* const real =
        reinterpret_cast<decltype(&cudaDeviceSynchronize)>(dlsym(RTLD_NEXT, "cudaDeviceSynchronize"));
    return real();
}
