// SPDX-License-Identifier: Apache-2.0
// Allocation, and attributes of pointers.
#include "api.h"
#include "capture.h"
#include "copies.h"
#include "memory.h"

using namespace ringside::platform;

namespace {

// Runs a public function that CUDA forbids during captures.
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

cudaMemoryType typeOf(MemoryType type)
{
    switch (type) {
    case MemoryType::Device:
        return cudaMemoryTypeDevice;
    case MemoryType::Pinned:
        return cudaMemoryTypeHost;
    case MemoryType::Managed:
        return cudaMemoryTypeManaged;
    case MemoryType::Pageable:
        break;
    }
    return cudaMemoryTypeUnregistered;
}

constexpr std::size_t kPitchAlignment = 512;
constexpr unsigned kHostFlags = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
constexpr unsigned kRegisterFlags =
    cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

bool isPlace(const cudaMemLocation& place)
{
    return place.type == cudaMemLocationTypeDevice
               ? isDevice(place.id)
               : place.type == cudaMemLocationTypeHost || place.type == cudaMemLocationTypeHostNuma ||
                     place.type == cudaMemLocationTypeHostNumaCurrent;
}

// Advice and prefetching apply to managed memory and have no effect here.
bool isManaged(const void* pointer, std::size_t size)
{
    const MemoryRange range = findMemory(pointer);
    const auto* begin = static_cast<const char*>(range.beginning);
    return range.type == MemoryType::Managed && size != 0 &&
           size <= range.size - static_cast<std::size_t>(static_cast<const char*>(pointer) - begin);
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
        const MemoryRange range = findMemory(pointer);
        const bool ours = range.owned && range.beginning == pointer && range.type != MemoryType::Pinned;
        if (!ours)
            return cudaErrorInvalidValue;
        device(range.device).synchronize();
        return freeMemory(pointer, range.type) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t size)
{
    return unsafeCall(CUPTI_RUNTIME_TRACE_CBID_cudaMallocHost_v3020, [&] {
        return pointer == nullptr ? cudaErrorInvalidValue
                                  : give(pointer, allocatePinned(size, cudaHostAllocDefault), size);
    });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t size, unsigned flags)
{
    return unsafeCall(CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020, [&] {
        if (pointer == nullptr || (flags & ~kHostFlags) != 0)
            return cudaErrorInvalidValue;
        return give(pointer, allocatePinned(size, flags), size);
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

cudaError_t cudaHostRegister(void* pointer, std::size_t size, unsigned flags)
{
    return unsafeCall(CUPTI_RUNTIME_TRACE_CBID_cudaHostRegister_v4000, [&] {
        if (pointer == nullptr || size == 0 || (flags & ~kRegisterFlags) != 0)
            return cudaErrorInvalidValue;
        return registerPinned(pointer, size, flags) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
    });
}

cudaError_t cudaHostUnregister(void* pointer)
{
    return unsafeCall(CUPTI_RUNTIME_TRACE_CBID_cudaHostUnregister_v4000, [&] {
        return unregisterPinned(pointer) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
    });
}

cudaError_t cudaHostGetDevicePointer(void** onDevice, void* pointer, unsigned flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaHostGetDevicePointer_v3020, [&] {
        if (onDevice == nullptr || flags != 0 || findMemory(pointer).type != MemoryType::Pinned)
            return cudaErrorInvalidValue;
        *onDevice = pointer; // host and device share one address space
        return cudaSuccess;
    });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaHostGetFlags_v3020, [&] {
        const MemoryRange range = findMemory(pointer);
        if (flags == nullptr || range.type != MemoryType::Pinned)
            return cudaErrorInvalidValue;
        *flags = range.flags | cudaHostAllocMapped; // with unified addressing, all pinned memory is mapped
        return cudaSuccess;
    });
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t size, unsigned flags)
{
    return unsafeCall(CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000, [&] {
        const bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost;
        if (pointer == nullptr || size == 0 || !known)
            return cudaErrorInvalidValue;
        return give(pointer, allocateManaged(currentDevice(), size), size);
    });
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height)
{
    return unsafeCall(CUPTI_RUNTIME_TRACE_CBID_cudaMallocPitch_v3020, [&] {
        if (pointer == nullptr || pitch == nullptr)
            return cudaErrorInvalidValue;
        *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
        return give(pointer, allocateDevice(currentDevice(), *pitch * height), *pitch * height);
    });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* box, cudaExtent extent)
{
    return unsafeCall(CUPTI_RUNTIME_TRACE_CBID_cudaMalloc3D_v3020, [&] {
        if (box == nullptr)
            return cudaErrorInvalidValue;
        const std::size_t pitch = (extent.width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
        const std::size_t size = pitch * extent.height * extent.depth;
        *box = {nullptr, pitch, extent.width, extent.height};
        return give(&box->ptr, allocateDevice(currentDevice(), size), size);
    });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t size, cudaMemLocation place, unsigned flags,
                                 cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemPrefetchAsync_v12020, [&] {
        if (flags != 0 || !isManaged(pointer, size))
            return cudaErrorInvalidValue;
        if (!isPlace(place))
            return cudaErrorInvalidDevice;
        return withStream(stream, [](Stream& on) {
            const cudaError_t error = checkUnsupported(on);
            return error != cudaSuccess ? error : submit(on, {}).error;
        });
    });
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t size, cudaMemoryAdvise advice,
                          cudaMemLocation place)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemAdvise_v12020, [&] {
        const bool known = advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy;
        const bool needsPlace = advice >= cudaMemAdviseSetPreferredLocation;
        if (!known || !isManaged(pointer, size))
            return cudaErrorInvalidValue;
        return needsPlace && !isPlace(place) ? cudaErrorInvalidDevice : cudaSuccess;
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
        attributes->device = range.device >= 0 ? range.device : currentDevice();
        attributes->type = typeOf(range.type);
        if (range.type != MemoryType::Pageable)
            attributes->devicePointer = const_cast<void*>(pointer);
        if (range.type != MemoryType::Device)
            attributes->hostPointer = const_cast<void*>(pointer);
        return cudaSuccess;
    });
}
