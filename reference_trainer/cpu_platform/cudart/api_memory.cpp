// SPDX-License-Identifier: Apache-2.0
// Allocation, copies and sets. When a call blocks its caller follows CUDA's documented rules ("API
// synchronization behavior"): that is what makes pageable copies worth finding.
#include "api.h"
#include "capture.h"
#include "copies.h"
#include "memory.h"

using namespace ringside::platform;

namespace {

void runFree(void* pointer)
{
    static_cast<void>(freeMemory(pointer, MemoryType::Device));
}

enum class Caller : bool { Async, Synchronous };

// Host memory that is pageable passes through a staging buffer on its way to the device, so the caller may go
// on as soon as it is copied there; on the way back the caller waits. Synchronous copies wait unless no host
// is involved. A captured copy reads its source at every launch.
cudaError_t copyOnStream(Copy copy, cudaStream_t handle, Caller caller)
{
    const cudaError_t checked = checkCopy(copy);
    if (checked != cudaSuccess || copy.extent.bytes() == 0)
        return checked;
    return withStream(handle, [&](Stream& stream) {
        const bool synchronous = caller == Caller::Synchronous;
        const cudaError_t error = synchronous ? checkWait(stream) : cudaSuccess;
        if (error != cudaSuccess)
            return error;
        const bool pageable = copy.from == MemoryType::Pageable || copy.to == MemoryType::Pageable;
        const bool staged =
            !synchronous && copy.kind == cudaMemcpyHostToDevice && pageable && !isCapturing(stream);
        const bool waits = copy.kind == cudaMemcpyHostToHost ||
                           (copy.kind == cudaMemcpyDeviceToHost && pageable) ||
                           (synchronous && copy.kind != cudaMemcpyDeviceToDevice);
        const Submitted submitted = submit(stream, {.work = copyWork(copy, staged)});
        if (waits && submitted.done != nullptr)
            submitted.done->wait();
        return submitted.error;
    });
}

cudaError_t setOnStream(const Set& set, cudaStream_t handle, Caller caller)
{
    const cudaError_t checked = checkSet(set);
    if (checked != cudaSuccess || set.extent.bytes() == 0)
        return checked;
    return withStream(handle, [&](Stream& stream) {
        const bool synchronous = caller == Caller::Synchronous;
        const cudaError_t error = synchronous ? checkWait(stream) : cudaSuccess;
        if (error != cudaSuccess)
            return error;
        const Submitted submitted = submit(stream, {.work = setWork(set)});
        if (synchronous && submitted.done != nullptr && findMemory(set.pointer).type == MemoryType::Pinned)
            submitted.done->wait();
        return submitted.error;
    });
}

// A plain range of bytes.
Copy bytes(void* destination, const void* source, std::size_t count, cudaMemcpyKind kind)
{
    return {.destination = destination, .source = source, .extent = {count}, .kind = kind};
}

Set bytes(void* pointer, int value, std::size_t count)
{
    return {.pointer = pointer, .value = static_cast<std::uint8_t>(value), .extent = {count}};
}

// A public function that CUDA forbids while streams capture.
template <class Body>
cudaError_t unsafeCall(std::uint32_t cbid, Body&& body)
{
    return apiCall(cbid, [&] {
        const cudaError_t error = checkUnsafe();
        return error != cudaSuccess ? error : body();
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
    return unsafeCall(CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, [&] {
        return pointer == nullptr ? cudaErrorInvalidValue
                                  : give(pointer, allocateDevice(currentDevice(), size), size);
    });
}

cudaError_t cudaFree(void* pointer)
{
    return unsafeCall(CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020, [&] {
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
    return unsafeCall(CUPTI_RUNTIME_TRACE_CBID_cudaMallocHost_v3020, [&] {
        return pointer == nullptr ? cudaErrorInvalidValue : give(pointer, allocatePinned(size), size);
    });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t size, unsigned)
{
    return unsafeCall(CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020, [&] {
        return pointer == nullptr ? cudaErrorInvalidValue : give(pointer, allocatePinned(size), size);
    });
}

cudaError_t cudaFreeHost(void* pointer)
{
    return unsafeCall(CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020, [&] {
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
    return unsafeCall(CUPTI_RUNTIME_TRACE_CBID_cudaHostRegister_v4000, [&] {
        if (pointer == nullptr || size == 0)
            return cudaErrorInvalidValue;
        return registerPinned(pointer, size) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
    });
}

cudaError_t cudaHostUnregister(void* pointer)
{
    return unsafeCall(CUPTI_RUNTIME_TRACE_CBID_cudaHostUnregister_v4000, [&] {
        return unregisterPinned(pointer) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
    });
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t size, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMallocAsync_v11020, [&] {
        if (pointer == nullptr)
            return cudaErrorInvalidValue;
        return withStream(stream, [&](Stream& on) {
            const cudaError_t error = checkUnsupported(on); // no memory nodes in our graphs
            return error != cudaSuccess ? error
                                        : give(pointer, allocateDevice(on.options().device, size), size);
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
            const cudaError_t error = checkUnsupported(on); // no memory nodes in our graphs
            if (error != cudaSuccess)
                return error;
            return submit(on, {.hostFunction = runFree, .hostArgument = pointer}).error;
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
        return copyOnStream(bytes(destination, source, count, kind), nullptr, Caller::Synchronous);
    });
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, std::size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, [&] {
        return copyOnStream(bytes(destination, source, count, kind), stream, Caller::Async);
    });
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t count)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemset_v3020,
                   [&] { return setOnStream(bytes(pointer, value, count), nullptr, Caller::Synchronous); });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t count, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020,
                   [&] { return setOnStream(bytes(pointer, value, count), stream, Caller::Async); });
}
