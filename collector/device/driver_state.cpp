// SPDX-License-Identifier: Apache-2.0
#include "device/driver_state.h"

#include "resolve/resolve.h"

namespace ringside::collector {
namespace {

constexpr int kDriverUnloading = 4; ///< cudaErrorCudartUnloading, CUDA_ERROR_DEINITIALIZED

bool isRuntimeGone()
{
    using GetDevice = int (*)(int*);
    static const auto getDevice =
        reinterpret_cast<GetDevice>(resolveAny(Library::CudaRuntime, "cudaGetDevice"));
    int device = 0;
    return getDevice != nullptr && getDevice(&device) == kDriverUnloading;
}

// The runtime may be linked into the program, where it cannot be found.
bool isDriverItselfGone()
{
    using GetContext = int (*)(void**);
    static const auto getContext =
        reinterpret_cast<GetContext>(findDefinition("cuCtxGetCurrent", "libcuda.so"));
    void* context = nullptr;
    return getContext != nullptr && getContext(&context) == kDriverUnloading;
}

} // namespace

bool isDriverGone()
{
    return isRuntimeGone() || isDriverItselfGone();
}

} // namespace ringside::collector
