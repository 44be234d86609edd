// SPDX-License-Identifier: Apache-2.0
// A libcudart for the collector's own tests: allocates host memory, and every other call succeeds.
#include "abi/cuda.h"

#include <cstdio>
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
// What these were given, for whoever compares it with and without the collector.
FAKE_EXPORT cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream)
{
    std::printf("3D copy: %zu x %zu x %zu, stream %p\n", p->extent.width, p->extent.height, p->extent.depth,
                static_cast<void*>(stream));
    return cudaSuccess;
}
FAKE_EXPORT cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p)
{
    std::printf("3D copy: device %d to %d\n", p->srcDevice, p->dstDevice);
    return cudaSuccess;
}
FAKE_EXPORT cudaMemset3D(cudaPitchedPtr where, int value, cudaExtent extent)
{
    std::printf("3D set: pitch %zu, %d, %zu x %zu x %zu\n", where.pitch, value, extent.width, extent.height,
                extent.depth);
    return cudaSuccess;
}
FAKE_EXPORT cudaMemcpyToSymbol(const void*, const void*, size_t count, size_t offset, cudaMemcpyKind kind)
{
    std::printf("to symbol: %zu at %zu, kind %u\n", count, offset, static_cast<unsigned>(kind));
    return cudaSuccess;
}
// One of CUDA 12, one of CUDA 13.
FAKE_EXPORT cudaMemPrefetchAsync(const void*, size_t count, int device, cudaStream_t stream)
{
    std::printf("prefetch: %zu to %d, stream %p\n", count, device, static_cast<void*>(stream));
    return cudaSuccess;
}
FAKE_EXPORT cudaMemPrefetchAsync_ptsz(const void*, size_t count, cudaMemLocation location, unsigned flags,
                                      cudaStream_t stream)
{
    std::printf("prefetch: %zu to %d %d, flags %u, stream %p\n", count, location.type, location.id, flags,
                static_cast<void*>(stream));
    return cudaSuccess;
}
FAKE_EXPORT cudaEventQuery(cudaEvent_t)
{
    return cudaSuccess;
}
FAKE_EXPORT cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
{
    return cudaSuccess;
}
FAKE_EXPORT cudaDeviceSynchronize()
{
    return cudaSuccess;
}
