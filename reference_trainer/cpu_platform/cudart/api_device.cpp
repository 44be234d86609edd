// SPDX-License-Identifier: Apache-2.0
// Devices: how many, which, and what they say they are.
#include "api.h"
#include "capture.h"
#include "event.h"
#include "memory.h"
#include "model.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace ringside::platform;

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxThreadsPerBlock = 1024;
constexpr int kMaxGridX = 2147483647;
constexpr int kMaxGridYZ = 65535;
constexpr int kComputeMajor = 8; // the model files describe devices of this generation
constexpr int kFirstBus = 0x10;

int multiprocessors()
{
    return static_cast<int>(DeviceModel::get().number("multiprocessors", 1));
}

cudaDeviceProp describe(int index)
{
    cudaDeviceProp properties{};
    std::snprintf(properties.name, sizeof properties.name, "Ringside emulated GPU (CPU platform)");
    std::snprintf(properties.uuid.bytes, sizeof properties.uuid.bytes, "ringside-cpu-%02d", index);
    properties.totalGlobalMem = totalMemory();
    properties.sharedMemPerBlock = 48 << 10;
    properties.warpSize = kWarpSize;
    properties.maxThreadsPerBlock = kMaxThreadsPerBlock;
    const int threads[] = {kMaxThreadsPerBlock, kMaxThreadsPerBlock, 64};
    std::copy(std::begin(threads), std::end(threads), properties.maxThreadsDim);
    const int grid[] = {kMaxGridX, kMaxGridYZ, kMaxGridYZ};
    std::copy(std::begin(grid), std::end(grid), properties.maxGridSize);
    properties.major = kComputeMajor;
    properties.multiProcessorCount = multiprocessors();
    properties.maxThreadsPerMultiProcessor = 2048;
    properties.concurrentKernels = 1;
    properties.asyncEngineCount = 2;
    properties.unifiedAddressing = 1;
    properties.canMapHostMemory = 1;
    properties.pciBusID = kFirstBus + index;
    properties.streamPrioritiesSupported = 1;
    return properties;
}

cudaError_t attributeOf(cudaDeviceAttr attribute, int index, int& value)
{
    const cudaDeviceProp properties = describe(index);
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
        value = kMaxThreadsPerBlock;
        break;
    case cudaDevAttrMaxBlockDimZ:
        value = properties.maxThreadsDim[2];
        break;
    case cudaDevAttrMaxGridDimX:
        value = kMaxGridX;
        break;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
        value = kMaxGridYZ;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        value = static_cast<int>(properties.sharedMemPerBlock);
        break;
    case cudaDevAttrWarpSize:
        value = kWarpSize;
        break;
    case cudaDevAttrMultiProcessorCount:
        value = properties.multiProcessorCount;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        value = properties.maxThreadsPerMultiProcessor;
        break;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrMemoryPoolsSupported:
        value = 1;
        break;
    case cudaDevAttrAsyncEngineCount:
        value = properties.asyncEngineCount;
        break;
    case cudaDevAttrPciBusId:
        value = properties.pciBusID;
        break;
    case cudaDevAttrComputeCapabilityMajor:
        value = kComputeMajor;
        break;
    default: // features the emulated device does not have
        value = 0;
    }
    return attribute >= 1 && attribute < cudaDevAttrMax ? cudaSuccess : cudaErrorInvalidValue;
}

} // namespace

cudaError_t cudaGetDeviceCount(int* count)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGetDeviceCount_v3020, [&] {
        if (count == nullptr)
            return cudaErrorInvalidValue;
        *count = deviceCount();
        return cudaSuccess;
    });
}

cudaError_t cudaGetDevice(int* index)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, [&] {
        if (index == nullptr)
            return cudaErrorInvalidValue;
        *index = currentDevice();
        return cudaSuccess;
    });
}

cudaError_t cudaSetDevice(int index)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020, [&] {
        if (!isDevice(index))
            return cudaErrorInvalidDevice;
        setCurrentDevice(index);
        return cudaSuccess;
    });
}

cudaError_t cudaInitDevice(int index, unsigned, unsigned)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaInitDevice_v12000,
                   [&] { return isDevice(index) ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGetDeviceFlags_v7000, [&] {
        if (flags == nullptr)
            return cudaErrorInvalidValue;
        *flags = 0;
        return cudaSuccess;
    });
}

cudaError_t cudaSetDeviceFlags(unsigned)
{
    // Flags choose how hosts wait; ours always sleep.
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaSetDeviceFlags_v3020, [] { return cudaSuccess; });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGetDeviceProperties_v12000, [&] {
        if (properties == nullptr)
            return cudaErrorInvalidValue;
        if (!isDevice(index))
            return cudaErrorInvalidDevice;
        *properties = describe(index);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int index)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetAttribute_v5000, [&] {
        if (value == nullptr)
            return cudaErrorInvalidValue;
        return isDevice(index) ? attributeOf(attribute, index, *value) : cudaErrorInvalidDevice;
    });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int index)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetPCIBusId_v4010, [&] {
        if (text == nullptr || length < 13)
            return cudaErrorInvalidValue;
        if (!isDevice(index))
            return cudaErrorInvalidDevice;
        std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", kFirstBus + index);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetByPCIBusId(int* index, const char* text)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetByPCIBusId_v4010, [&] {
        unsigned domain = 0;
        unsigned bus = 0;
        if (index == nullptr || text == nullptr || std::sscanf(text, "%x:%x", &domain, &bus) != 2)
            return cudaErrorInvalidValue;
        const int found = static_cast<int>(bus) - kFirstBus;
        if (!isDevice(found))
            return cudaErrorInvalidDevice;
        *index = found;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetStreamPriorityRange_v5050, [&] {
        if (least != nullptr)
            *least = 0;
        if (greatest != nullptr)
            *greatest = -5;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSynchronize()
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020, [] {
        const cudaError_t error = checkDeviceWait(currentDevice());
        if (error != cudaSuccess)
            return error;
        device(currentDevice()).synchronize();
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceReset()
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020, [] {
        const int index = currentDevice();
        const cudaError_t error = checkDeviceWait(index);
        if (error != cudaSuccess)
            return error;
        device(index).synchronize();
        destroyStreams(index);
        destroyEvents(index);
        forgetPeers(index);
        freeDevice(index);
        return cudaSuccess;
    });
}

cudaError_t cudaProfilerStart()
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000, [] { return cudaSuccess; });
}

cudaError_t cudaProfilerStop()
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000, [] { return cudaSuccess; });
}
