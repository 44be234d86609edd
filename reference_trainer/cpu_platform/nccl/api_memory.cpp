// SPDX-License-Identifier: Apache-2.0
// Public functions about memory. Registration is checked and changes nothing, because the transport can
// access all memory of the process. Windows are null, as in the real library if symmetric memory is not
// supported.
#include "api.h"
#include "communicator.h"
#include "handle.h"
#include "nvtx_range.h"

#include <cuda_runtime_api.h>

using namespace ringside::nccl;

RINGSIDE_NCCL_API(ncclResult_t, ncclMemAlloc, void** ptr, size_t size)
{
    const NvtxRange range(NvtxFunction::MemAlloc);
    return guarded([&] {
        require(ptr != nullptr && size > 0, "ncclMemAlloc needs a place for the pointer and a size");
        checkCuda(cudaMalloc(ptr, size), "cudaMalloc");
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclMemFree, void* ptr)
{
    const NvtxRange range(NvtxFunction::MemFree);
    return guarded([&] { checkCuda(cudaFree(ptr), "cudaFree"); });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommRegister, const ncclComm_t comm, void* buff, size_t, void** handle)
{
    return guarded([&] {
        require(handle != nullptr, "the place for the handle is null");
        *handle = communicatorOf(comm)->registrations().add(buff);
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommDeregister, const ncclComm_t comm, void* handle)
{
    return guarded([&] { communicatorOf(comm)->registrations().remove(handle); });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommWindowRegister, ncclComm_t comm, void*, size_t, ncclWindow_t* win,
                  int)
{
    return guarded([&] {
        static_cast<void>(communicatorOf(comm));
        require(win != nullptr, "the place for the window is null");
        *win = nullptr;
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommWindowDeregister, ncclComm_t comm, ncclWindow_t win)
{
    return guarded([&] {
        static_cast<void>(communicatorOf(comm));
        require(win == nullptr, "the emulated NCCL has given out no window but null");
    });
}
