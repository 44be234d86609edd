// SPDX-License-Identifier: Apache-2.0
// Kernels that a program registers, and the search for their host versions (platform/kernel_abi.md).
#pragma once
#include "platform.h"

#include <cuda_runtime_api.h>

#include <cstddef>

namespace ringside::platform {

struct Kernel;

/// Implements __cudaRegisterFunction: the host address stands for the kernel of this name.
void registerKernel(const void* hostFunction, const char* deviceName);
/// Finds a kernel by its host address or by its handle from __cudaGetKernel; null if it is not registered.
[[nodiscard]] const Kernel* findKernel(const void* function);
[[nodiscard]] const char* kernelName(const Kernel& kernel);
/// Returns the limit of dynamic shared memory of a block, in bytes.
[[nodiscard]] std::size_t sharedLimit(const Kernel& kernel);
void setSharedLimit(const Kernel& kernel, std::size_t bytes);

struct Launch {
    dim3 grid;
    dim3 block;
    void** arguments = nullptr;
    std::size_t sharedBytes = 0;
    cudaStream_t stream = nullptr;
};
/// Checks the launch and converts it to work with a copy of the arguments.
[[nodiscard]] cudaError_t kernelWork(const Kernel& kernel, const Launch& launch, Work& work);
/// Checks the launch, copies the arguments and queues it.
[[nodiscard]] cudaError_t launchKernel(const Kernel& kernel, const Launch& launch);

} // namespace ringside::platform
