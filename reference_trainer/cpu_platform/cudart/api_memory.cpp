// SPDX-License-Identifier: Apache-2.0
// Allocation, copies and sets. When a call blocks its caller follows CUDA's documented rules ("API
// synchronization behavior"): that is what makes pageable copies worth finding.
#include "api.h"
#include "memory.h"

#include <cstdlib>
#include <cstring>

using namespace ringside::platform;

namespace {

struct CopyTask {
    void* destination;
    const void* source;
    std::size_t size;
    bool staged; ///< the source is a staging buffer, freed after the copy
};

void runCopy(void* argument, bool)
{
    const std::unique_ptr<CopyTask> copy(static_cast<CopyTask*>(argument));
    std::memmove(copy->destination, copy->source, copy->size);
    if (copy->staged)
        std::free(const_cast<void*>(copy->source));
}

struct SetTask {
    void* pointer;
    int value;
    std::size_t size;
};

void runSet(void* argument, bool)
{
    const std::unique_ptr<SetTask> set(static_cast<SetTask*>(argument));
    std::memset(set->pointer, set->value, set->size);
}

void runFree(void* pointer)
{
    static_cast<void>(freeMemory(pointer, MemoryType::Device));
}

cudaMemcpyKind kindOf(MemoryType destination, MemoryType source)
{
    if (destination == MemoryType::Device)
        return source == MemoryType::Device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    return source == MemoryType::Device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

struct Copy {
    void* destination;
    const void* source;
    std::size_t size;
    cudaMemcpyKind kind;
    MemoryType from;
    MemoryType to;
};

Work copyWork(const Copy& copy, bool staged)
{
    static constexpr const char* kNames[] = {"memcpy HtoH", "memcpy HtoD", "memcpy DtoH", "memcpy DtoD"};
    const void* source = copy.source;
    if (staged) {
        void* buffer = std::malloc(copy.size);
        if (buffer == nullptr)
            throw std::bad_alloc();
        source = std::memcpy(buffer, copy.source, copy.size);
    }
    Work work{.kind = WorkKind::Copy, .name = kNames[copy.kind], .run = runCopy, .bytes = copy.size};
    work.arg = new CopyTask{copy.destination, source, copy.size, staged};
    work.copyKind = static_cast<std::uint8_t>(copy.kind);
    if (copy.kind == cudaMemcpyDeviceToDevice)
        work.cost.memoryBytes = 2 * static_cast<double>(copy.size);
    else
        work.cost.copyBytes = static_cast<double>(copy.size);
    return work;
}

// Resolves cudaMemcpyDefault and refuses directions that the pointers contradict.
cudaError_t checkCopy(Copy& copy, cudaMemcpyKind asked)
{
    if (asked < cudaMemcpyHostToHost || asked > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (copy.size != 0 && (copy.destination == nullptr || copy.source == nullptr))
        return cudaErrorInvalidValue;
    copy.to = findMemory(copy.destination).type;
    copy.from = findMemory(copy.source).type;
    copy.kind = kindOf(copy.to, copy.from);
    return asked == cudaMemcpyDefault || asked == copy.kind ? cudaSuccess : cudaErrorInvalidValue;
}

// Host memory that is pageable passes through a staging buffer on its way to the device, so the caller may go
// on as soon as it is copied there; on the way back the caller waits. Synchronous copies wait unless no host
// is involved.
cudaError_t copyOnStream(Copy copy, cudaMemcpyKind asked, cudaStream_t handle, bool synchronous)
{
    const cudaError_t checked = checkCopy(copy, asked);
    if (checked != cudaSuccess || copy.size == 0)
        return checked;
    return withStream(handle, [&](Stream& stream) {
        const bool pageable = copy.from == MemoryType::Pageable || copy.to == MemoryType::Pageable;
        const bool staged = !synchronous && copy.kind == cudaMemcpyHostToDevice && pageable;
        const bool waits = copy.kind == cudaMemcpyHostToHost ||
                           (copy.kind == cudaMemcpyDeviceToHost && pageable) ||
                           (synchronous && copy.kind != cudaMemcpyDeviceToDevice);
        // NOLINTNEXTLINE(*NewDeleteLeaks): runCopy frees the task
        const CompletionPtr done = enqueue(stream, {.work = copyWork(copy, staged)});
        if (waits)
            done->wait();
        return cudaSuccess;
    });
}

cudaError_t setOnStream(void* pointer, int value, std::size_t size, cudaStream_t handle, bool synchronous)
{
    const MemoryType type = findMemory(pointer).type;
    if (size == 0)
        return cudaSuccess;
    if (type == MemoryType::Pageable)
        return cudaErrorInvalidValue;
    return withStream(handle, [&](Stream& stream) {
        Work work{.kind = WorkKind::Set, .name = "memset", .run = runSet, .bytes = size};
        work.arg = new SetTask{pointer, value, size};
        work.cost.memoryBytes = static_cast<double>(size);
        // NOLINTNEXTLINE(*NewDeleteLeaks): runSet frees the task
        const CompletionPtr done = enqueue(stream, {.work = work});
        if (synchronous && type == MemoryType::Pinned)
            done->wait();
        return cudaSuccess;
    });
}

cudaError_t give(void** pointer, void* memory, std::size_t size)
{
    *pointer = memory;
    return memory != nullptr || size == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
}

} // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t size)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, [&] {
        return pointer == nullptr ? cudaErrorInvalidValue
                                  : give(pointer, allocateDevice(currentDevice(), size), size);
    });
}

cudaError_t cudaFree(void* pointer)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020, [&] {
        if (pointer == nullptr)
            return cudaSuccess;
        if (!isAllocation(pointer, MemoryType::Device))
            return cudaErrorInvalidValue;
        device(findMemory(pointer).device).synchronize();
        return freeMemory(pointer, MemoryType::Device) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t size)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMallocHost_v3020, [&] {
        return pointer == nullptr ? cudaErrorInvalidValue : give(pointer, allocatePinned(size), size);
    });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t size, unsigned)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020, [&] {
        return pointer == nullptr ? cudaErrorInvalidValue : give(pointer, allocatePinned(size), size);
    });
}

cudaError_t cudaFreeHost(void* pointer)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020, [&] {
        if (pointer == nullptr)
            return cudaSuccess;
        if (!isAllocation(pointer, MemoryType::Pinned))
            return cudaErrorInvalidValue;
        device(currentDevice()).synchronize();
        return freeMemory(pointer, MemoryType::Pinned) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t size, unsigned)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaHostRegister_v4000, [&] {
        if (pointer == nullptr || size == 0)
            return cudaErrorInvalidValue;
        return registerPinned(pointer, size) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
    });
}

cudaError_t cudaHostUnregister(void* pointer)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaHostUnregister_v4000, [&] {
        return unregisterPinned(pointer) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
    });
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t size, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMallocAsync_v11020, [&] {
        if (pointer == nullptr)
            return cudaErrorInvalidValue;
        return withStream(stream, [&](Stream& on) {
            return give(pointer, allocateDevice(on.options().device, size), size);
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
            enqueue(on, {.hostFunction = runFree, .hostArgument = pointer});
            return cudaSuccess;
        });
    });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemGetInfo_v3020, [&] {
        if (free == nullptr || total == nullptr)
            return cudaErrorInvalidValue;
        *total = totalMemory();
        *free = *total - usedMemory(currentDevice());
        return cudaSuccess;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaPointerGetAttributes_v4000, [&] {
        if (attributes == nullptr || pointer == nullptr)
            return cudaErrorInvalidValue;
        const MemoryRange range = findMemory(pointer);
        *attributes = {};
        attributes->device = range.type == MemoryType::Device ? range.device : currentDevice();
        attributes->type = range.type == MemoryType::Device   ? cudaMemoryTypeDevice
                           : range.type == MemoryType::Pinned ? cudaMemoryTypeHost
                                                              : cudaMemoryTypeUnregistered;
        if (range.type != MemoryType::Pageable)
            attributes->devicePointer = const_cast<void*>(pointer);
        if (range.type != MemoryType::Device)
            attributes->hostPointer = const_cast<void*>(pointer);
        return cudaSuccess;
    });
}

cudaError_t cudaMemcpy(void* destination, const void* source, std::size_t count, cudaMemcpyKind kind)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020, [&] {
        return copyOnStream({destination, source, count, kind, {}, {}}, kind, nullptr, true);
    });
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, std::size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, [&] {
        return copyOnStream({destination, source, count, kind, {}, {}}, kind, stream, false);
    });
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t count)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemset_v3020,
                   [&] { return setOnStream(pointer, value, count, nullptr, true); });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t count, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020,
                   [&] { return setOnStream(pointer, value, count, stream, false); });
}
