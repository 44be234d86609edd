// SPDX-License-Identifier: Apache-2.0
// A libcudart for the collector's own tests: allocates host memory and says yes.
#include "abi/cuda.h"

#include <cstdlib>
#include <cstring>

#define FAKE_EXPORT extern "C" __attribute__((visibility("default"))) cudaError_t

namespace {
thread_local int currentDevice = 0;
}

FAKE_EXPORT cudaSetDevice(int device)
{
    currentDevice = device;
    return cudaSuccess;
}
FAKE_EXPORT cudaGetDevice(int* device)
{
    *device = currentDevice;
    return cudaSuccess;
}
FAKE_EXPORT cudaGetDeviceProperties(void* properties, int)
{
    ringside::collector::abi::DevicePropertiesPrefix prefix{};
    std::strcpy(prefix.name, "emulated test device");
    prefix.totalGlobalMem = 1 << 20;
    std::memcpy(properties, &prefix, sizeof prefix);
    return cudaSuccess;
}
FAKE_EXPORT cudaMalloc(void** pointer, size_t size)
{
    *pointer = std::malloc(size);
    return cudaSuccess;
}
FAKE_EXPORT cudaFree(void* pointer)
{
    std::free(pointer);
    return cudaSuccess;
}
FAKE_EXPORT cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind, cudaStream_t)
{
    std::memcpy(to, from, size);
    return cudaSuccess;
}
// Streams are numbers here, the lowest digit is their device.
FAKE_EXPORT cudaStreamGetDevice(cudaStream_t stream, int* device)
{
    constexpr size_t kPerThread = 2;
    const auto number = reinterpret_cast<size_t>(stream);
    *device = number == kPerThread ? currentDevice : static_cast<int>(number % 16);
    return cudaSuccess;
}
FAKE_EXPORT cudaDeviceSynchronize()
{
    return cudaSuccess;
}
