// SPDX-License-Identifier: Apache-2.0
// Kernel registration and launch: what nvcc's generated code calls (and, without nvcc, the trainer's own
// macro).
#include "api.h"
#include "kernels.h"
#include "properties.h"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace ringside::platform;

namespace {

struct CallConfiguration {
    dim3 grid;
    dim3 block;
    std::size_t sharedMemory;
    cudaStream_t stream;
};
thread_local std::vector<CallConfiguration> pushedConfigurations;

cudaError_t launch(const void* function, const Launch& launch)
{
    const Kernel* kernel = findKernel(function);
    return kernel == nullptr ? cudaErrorInvalidDeviceFunction : launchKernel(*kernel, launch);
}

} // namespace

void** __cudaRegisterFatBinary(void*)
{
    static void* handle = nullptr; // device code is of no use here, so all modules are alike
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void**) {}

char __cudaInitModule(void**)
{
    return 1;
}

void __cudaRegisterFunction(void**, const char* hostFunction, char*, const char* deviceName, int, uint3*,
                            uint3*, dim3*, dim3*, int*)
{
    registerKernel(hostFunction, deviceName);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t sharedMemory, CUstream_st* stream)
{
    pushedConfigurations.push_back({grid, block, sharedMemory, stream});
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* sharedMemory, void* stream)
{
    if (pushedConfigurations.empty())
        return cudaErrorMissingConfiguration;
    const CallConfiguration configuration = pushedConfigurations.back();
    pushedConfigurations.pop_back();
    *grid = configuration.grid;
    *block = configuration.block;
    *sharedMemory = configuration.sharedMemory;
    *static_cast<cudaStream_t*>(stream) = configuration.stream;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* hostFunction)
{
    const Kernel* found = findKernel(hostFunction);
    if (found == nullptr)
        return cudaErrorInvalidDeviceFunction;
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<Kernel*>(found));
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t sharedMemory, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000, [&] {
        return launch(kernel, {grid, block, arguments, sharedMemory, stream});
    });
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t sharedMemory, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, [&] {
        return launch(function, {grid, block, arguments, sharedMemory, stream});
    });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060, [&] {
        if (config == nullptr)
            return cudaErrorInvalidValue;
        return launch(function, {config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                                 config->stream});
    });
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t sharedMemory, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000, [&] {
        const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
        const auto threads = static_cast<int>(block.x * block.y * block.z);
        const auto fit = static_cast<std::uint64_t>(residentBlocks(std::max(1, threads), sharedMemory)) *
                         static_cast<std::uint64_t>(describe(currentDevice()).multiProcessorCount);
        if (blocks > fit) // all must be there to wait for each other
            return cudaErrorCooperativeLaunchTooLarge;
        return launch(function, {grid, block, arguments, sharedMemory, stream});
    });
}

cudaError_t cudaFuncGetName(const char** name, const void* function)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaFuncGetName_v12030, [&] {
        const Kernel* kernel = findKernel(function);
        if (name == nullptr)
            return cudaErrorInvalidValue;
        if (kernel == nullptr)
            return cudaErrorInvalidDeviceFunction;
        *name = kernelName(*kernel);
        return cudaSuccess;
    });
}
