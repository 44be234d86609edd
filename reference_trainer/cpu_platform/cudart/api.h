// SPDX-License-Identifier: Apache-2.0
// Form of every public function of the emulated runtime: apiCall(its CUPTI number, its body).
#pragma once
#include "activity.h"
#include "device.h"
#include "submit.h"

#include <cupti.h>

#include <new>
#include <system_error>
#include <utility>

// Only nvcc's own include files declare these functions, but they belong to the real library's binary
// interface.
extern "C" {
void** __cudaRegisterFatBinary(void* fatBinary);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* hostFunction, char* deviceFunction,
                            const char* deviceName, int threadLimit, uint3* thread, uint3* block,
                            dim3* blockSize, dim3* gridSize, int* warpSize);
void __cudaRegisterVar(void** handle, char* hostVariable, char* deviceAddress, const char* deviceName,
                       int external, std::size_t size, int constant, int global);
void __cudaRegisterManagedVar(void** handle, void** hostPointer, char* deviceAddress, const char* deviceName,
                              int external, std::size_t size, int constant, int global);
char __cudaInitModule(void** handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t sharedMemory, CUstream_st* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* sharedMemory, void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* hostFunction);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t sharedMemory, cudaStream_t stream);
}

namespace ringside::platform {

/// Runs a public function's body: skips it in a forked child, and turns exceptions into errors.
template <class Body>
cudaError_t apiCall(ApiFunction function, Body&& body)
{
    const cudaError_t started = startPlatform();
    if (started != cudaSuccess)
        return started;
    ApiCall call(function);
    try {
        return call.finish(body());
    } catch (const std::bad_alloc&) {
        return call.finish(cudaErrorMemoryAllocation);
    } catch (const std::system_error&) { // no thread or lock is available
        return call.finish(cudaErrorOperatingSystem);
    }
}

/// The same for a function of the runtime.
template <class Body>
cudaError_t apiCall(std::uint32_t cbid, Body&& body)
{
    return apiCall(ApiFunction{ApiDomain::Runtime, cbid}, std::forward<Body>(body));
}

/// Runs `body` with the stream of a handle.
template <class Body>
cudaError_t withStream(cudaStream_t handle, Body&& body)
{
    const std::shared_ptr<Stream> stream = findStream(handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : body(*stream);
}

} // namespace ringside::platform
