// SPDX-License-Identifier: Apache-2.0
// Devices: their number, choice and properties.
#include "api.h"
#include "capture.h"
#include "event.h"
#include "memory.h"
#include "properties.h"

#include <cuda_profiler_api.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <vector>

using namespace ringside::platform;

namespace {

// Settings that a program makes for a device. Defaults are CUDA's.
struct Settings {
    std::mutex mutex;
    std::map<cudaLimit, std::size_t> limits = {
        {cudaLimitStackSize, 1 << 10},        {cudaLimitPrintfFifoSize, 1 << 20},
        {cudaLimitMallocHeapSize, 8 << 20},   {cudaLimitDevRuntimePendingLaunchCount, 2048},
        {cudaLimitMaxL2FetchGranularity, 64}, {cudaLimitPersistingL2CacheSize, 0}};
    cudaFuncCache cache = cudaFuncCachePreferNone;
    unsigned flags = 0;
};

Settings& settings(int index)
{
    static auto* all = new std::vector<Settings>(static_cast<std::size_t>(deviceCount()));
    return (*all)[static_cast<std::size_t>(index)];
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
        useDevice(index);
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
        Settings& device = settings(currentDevice());
        const std::lock_guard lock(device.mutex);
        if (flags == nullptr)
            return cudaErrorInvalidValue;
        *flags = device.flags;
        return cudaSuccess;
    });
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaSetDeviceFlags_v3020, [&] {
        const unsigned schedule = flags & cudaDeviceScheduleMask;
        const bool oneWay = (schedule & (schedule - 1)) == 0; // spin, yield, block or (0) automatic
        if ((flags & ~static_cast<unsigned>(cudaDeviceMask)) != 0 || !oneWay)
            return cudaErrorInvalidValue;
        Settings& device = settings(currentDevice());
        const std::lock_guard lock(device.mutex);
        device.flags = flags; // they select how hosts wait; here hosts always sleep
        return cudaSuccess;
    });
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
        return isDevice(index) ? attributeOf(describe(index), attribute, *value) : cudaErrorInvalidDevice;
    });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetLimit_v3020, [&] {
        Settings& device = settings(currentDevice());
        const std::lock_guard lock(device.mutex);
        const auto found = device.limits.find(limit);
        if (value == nullptr || found == device.limits.end())
            return value == nullptr ? cudaErrorInvalidValue : cudaErrorUnsupportedLimit;
        *value = found->second;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSetLimit_v3020, [&] {
        Settings& device = settings(currentDevice());
        const std::lock_guard lock(device.mutex);
        const auto found = device.limits.find(limit);
        if (found == device.limits.end())
            return cudaErrorUnsupportedLimit;
        found->second = value; // the emulation is not limited by it
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetCacheConfig_v3020, [&] {
        Settings& device = settings(currentDevice());
        const std::lock_guard lock(device.mutex);
        if (config == nullptr)
            return cudaErrorInvalidValue;
        *config = device.cache;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSetCacheConfig_v3020, [&] {
        Settings& device = settings(currentDevice());
        const std::lock_guard lock(device.mutex);
        device.cache = config;
        return cudaSuccess;
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
