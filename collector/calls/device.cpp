// SPDX-License-Identifier: Apache-2.0
#include "calls/wrapper.h"

namespace ringside::collector {

int currentDevice()
{
    static constinit Real<cudaError_t(int*)> real(Library::CudaRuntime, "cudaGetDevice");
    auto* const getDevice = real.get();
    int device = -1;
    return getDevice != nullptr && getDevice(&device) == cudaSuccess ? device : -1;
}

int deviceOf(cudaStream_t stream)
{
    static constinit Real<cudaError_t(cudaStream_t, int*)> real(Library::CudaRuntime, "cudaStreamGetDevice");
    auto* const getDevice = real.get(); // since CUDA 12.8
    int device = -1;
    return getDevice != nullptr && getDevice(stream, &device) == cudaSuccess ? device : currentDevice();
}

void noteDevice(ThreadState& thread)
{
    thread.deviceNoted = true;
    constexpr int kMostDevices = 64;
    if (const int device = currentDevice(); device >= 0 && device < kMostDevices) {
        registry().devicesSeen.fetch_or(std::uint64_t{1} << device);
    }
}

} // namespace ringside::collector
