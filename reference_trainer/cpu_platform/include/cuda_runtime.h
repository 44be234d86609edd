// SPDX-License-Identifier: Apache-2.0
// What C++ adds to the runtime API: typed forms of the allocators. See cuda_runtime_api.h.
#pragma once
#include "cuda_runtime_api.h"

#ifdef __cplusplus
template <class T>
cudaError_t cudaMalloc(T** pointer, size_t size)
{
    return cudaMalloc(reinterpret_cast<void**>(pointer), size);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, size_t size)
{
    return cudaMallocHost(reinterpret_cast<void**>(pointer), size);
}
template <class T>
cudaError_t cudaHostAlloc(T** pointer, size_t size, unsigned int flags)
{
    return cudaHostAlloc(reinterpret_cast<void**>(pointer), size, flags);
}
template <class T>
cudaError_t cudaMallocManaged(T** pointer, size_t size, unsigned int flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged(reinterpret_cast<void**>(pointer), size, flags);
}
template <class T>
cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height)
{
    return cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, size_t size, cudaStream_t stream)
{
    return cudaMallocAsync(reinterpret_cast<void**>(pointer), size, stream);
}
template <class T>
cudaError_t cudaLaunchKernel(T* function, dim3 grid, dim3 block, void** arguments, size_t sharedMemory = 0,
                             cudaStream_t stream = nullptr)
{
    return cudaLaunchKernel(reinterpret_cast<const void*>(function), grid, block, arguments, sharedMemory,
                            stream);
}
#endif
