// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation and memory pools. Freed memory is released at once, so that the release threshold
// is stored without effect. Pools cannot be shared between processes.
#include "api.h"
#include "capture.h"
#include "handles.h"
#include "memory.h"

#include <map>

using namespace ringside::platform;

namespace {

class Pool final {
public:
    explicit Pool(int device) : m_device(device) {}
    [[nodiscard]] int device() const { return m_device; }
    [[nodiscard]] void* allocate(std::size_t size) const { return allocateDevice(m_device, size, m_use); }

    cudaError_t set(cudaMemPoolAttr attribute, const void* value)
    {
        if (attribute <= cudaMemPoolReuseAllowInternalDependencies)
            m_flags[attribute] = *static_cast<const int*>(value);
        else if (attribute == cudaMemPoolAttrReleaseThreshold)
            m_threshold = *static_cast<const std::uint64_t*>(value);
        else if (isMost(attribute) && *static_cast<const std::uint64_t*>(value) == 0)
            m_use->most = m_use->now.load();
        else
            return cudaErrorInvalidValue;
        return cudaSuccess;
    }
    cudaError_t get(cudaMemPoolAttr attribute, void* value) const
    {
        if (attribute <= cudaMemPoolReuseAllowInternalDependencies)
            *static_cast<int*>(value) = m_flags[attribute];
        else if (attribute == cudaMemPoolAttrReleaseThreshold)
            *static_cast<std::uint64_t*>(value) = m_threshold;
        else
            *static_cast<std::uint64_t*>(value) = isMost(attribute) ? m_use->most : m_use->now;
        return cudaSuccess;
    }

private:
    static bool isMost(cudaMemPoolAttr attribute)
    {
        return attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
    }
    const int m_device;
    std::shared_ptr<PoolUse> m_use = std::make_shared<PoolUse>();
    std::atomic<int> m_flags[cudaMemPoolReuseAllowInternalDependencies + 1] = {1, 1, 1, 1}; ///< by attribute
    std::atomic<std::uint64_t> m_threshold = 0;
};

Handles<cudaMemPool_t, Pool>& pools()
{
    static auto* table = new Handles<cudaMemPool_t, Pool>;
    return *table;
}

struct DevicePools {
    std::mutex mutex;
    std::map<int, cudaMemPool_t> defaults;
    std::map<int, cudaMemPool_t> chosen;
};

DevicePools& devicePools()
{
    static auto* all = new DevicePools;
    return *all;
}

cudaMemPool_t defaultPool(int index)
{
    const std::lock_guard lock(devicePools().mutex);
    cudaMemPool_t& pool = devicePools().defaults[index];
    if (pool == nullptr)
        pool = pools().publish(std::make_shared<Pool>(index));
    return pool;
}

cudaMemPool_t chosenPool(int index)
{
    const cudaMemPool_t fallback = defaultPool(index);
    const std::lock_guard lock(devicePools().mutex);
    const auto found = devicePools().chosen.find(index);
    return found == devicePools().chosen.end() ? fallback : found->second;
}

// Runs `body` with the pool of a handle.
template <class Body>
cudaError_t withPool(cudaMemPool_t handle, Body&& body)
{
    const std::shared_ptr<Pool> pool = pools().find(handle);
    return pool == nullptr ? cudaErrorInvalidValue : body(*pool);
}

cudaError_t tellPool(cudaMemPool_t* pool, int index, cudaMemPool_t (*which)(int))
{
    if (pool == nullptr)
        return cudaErrorInvalidValue;
    if (!isDevice(index))
        return cudaErrorInvalidDevice;
    *pool = which(index);
    return cudaSuccess;
}

cudaError_t allocateOn(void** pointer, std::size_t size, Stream& stream, const Pool& pool)
{
    const cudaError_t error = checkUnsupported(stream); // graphs have no memory nodes here
    if (error != cudaSuccess)
        return error;
    *pointer = pool.allocate(size);
    return *pointer != nullptr || size == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
}

void runFree(void* pointer)
{
    static_cast<void>(freeMemory(pointer, MemoryType::Device));
}

} // namespace

cudaError_t cudaMallocAsync(void** pointer, std::size_t size, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMallocAsync_v11020, [&] {
        if (pointer == nullptr)
            return cudaErrorInvalidValue;
        return withStream(stream, [&](Stream& on) {
            return withPool(chosenPool(on.options().device),
                            [&](Pool& pool) { return allocateOn(pointer, size, on, pool); });
        });
    });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t size, cudaMemPool_t handle,
                                    cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMallocFromPoolAsync_v11020, [&] {
        if (pointer == nullptr)
            return cudaErrorInvalidValue;
        return withStream(stream, [&](Stream& on) {
            return withPool(handle, [&](Pool& pool) { return allocateOn(pointer, size, on, pool); });
        });
    });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaFreeAsync_v11020, [&] {
        if (pointer == nullptr)
            return cudaSuccess;
        if (!isAllocation(pointer, MemoryType::Device))
            return cudaErrorInvalidValue;
        return withStream(stream, [&](Stream& on) {
            const cudaError_t error = checkUnsupported(on); // graphs have no memory nodes here
            if (error != cudaSuccess)
                return error;
            return submit(on, {.hostFunction = runFree, .hostArgument = pointer}).error;
        });
    });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int index)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetDefaultMemPool_v11020,
                   [&] { return tellPool(pool, index, defaultPool); });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int index)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetMemPool_v11020,
                   [&] { return tellPool(pool, index, chosenPool); });
}

cudaError_t cudaDeviceSetMemPool(int index, cudaMemPool_t handle)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSetMemPool_v11020, [&] {
        if (!isDevice(index))
            return cudaErrorInvalidDevice;
        return withPool(handle, [&](const Pool& pool) {
            if (pool.device() != index)
                return cudaErrorInvalidValue;
            const std::lock_guard lock(devicePools().mutex);
            devicePools().chosen[index] = handle;
            return cudaSuccess;
        });
    });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemPoolCreate_v11020, [&] {
        if (pool == nullptr || properties == nullptr ||
            properties->allocType != cudaMemAllocationTypePinned ||
            properties->location.type != cudaMemLocationTypeDevice || !isDevice(properties->location.id))
            return cudaErrorInvalidValue;
        if (properties->handleTypes != cudaMemHandleTypeNone)
            return cudaErrorNotSupported; // for sharing with other processes
        *pool = pools().publish(std::make_shared<Pool>(properties->location.id));
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemPoolDestroy_v11020, [&] {
        return withPool(handle, [&](const Pool& pool) {
            if (handle == defaultPool(pool.device()))
                return cudaErrorInvalidValue;
            const std::lock_guard lock(devicePools().mutex);
            std::erase_if(devicePools().chosen, [&](const auto& entry) { return entry.second == handle; });
            pools().retire(handle);
            return cudaSuccess;
        });
    });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemPoolSetAttribute_v11020, [&] {
        if (value == nullptr || attribute < cudaMemPoolReuseFollowEventDependencies)
            return cudaErrorInvalidValue;
        return withPool(handle, [&](Pool& pool) { return pool.set(attribute, value); });
    });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemPoolGetAttribute_v11020, [&] {
        if (value == nullptr || attribute < cudaMemPoolReuseFollowEventDependencies ||
            attribute > cudaMemPoolAttrUsedMemHigh)
            return cudaErrorInvalidValue;
        return withPool(handle, [&](const Pool& pool) { return pool.get(attribute, value); });
    });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, std::size_t)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemPoolTrimTo_v11020,
                   [&] { return withPool(handle, [](const Pool&) { return cudaSuccess; }); });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* descriptions,
                                 std::size_t count)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemPoolSetAccess_v11020, [&] {
        for (std::size_t i = 0; i < count; ++i)
            if (descriptions[i].location.type != cudaMemLocationTypeDevice ||
                !isDevice(descriptions[i].location.id))
                return cudaErrorInvalidValue;
        // every device can access all memory
        return withPool(handle, [](const Pool&) { return cudaSuccess; });
    });
}
