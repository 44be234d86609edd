// SPDX-License-Identifier: Apache-2.0
// Copies and sets. Whether a call blocks its caller follows CUDA's documented rules ("API synchronization
// behavior"), so that tools can find pageable copies.
#include "api.h"
#include "capture.h"
#include "copies.h"
#include "memory.h"

#include <set>

using namespace ringside::platform;

namespace {

enum class Caller : bool { Async, Synchronous };

// The real library documents neither the size nor the number of its staging buffers; this size is the
// emulation's choice.
constexpr std::size_t kStagingBytes = 1U << 20U;

// Pageable host memory passes through a staging buffer on its way to the device, so that the caller continues
// as soon as it is copied there. A larger copy is split into pieces. The last piece enters the buffer when
// all others have been transferred; the emulation holds the caller until the end of the copy, which is too
// long by up to the time of one piece. Copies to pageable memory block the caller. Synchronous copies block
// unless no host memory is involved. A captured copy reads its source at every launch.
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
                           (staged && copy.extent.bytes() > kStagingBytes) ||
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

// Returns a copy of a plain range of bytes.
Copy bytes(void* destination, const void* source, std::size_t count, cudaMemcpyKind kind)
{
    return {.destination = destination, .source = source, .extent = {count}, .kind = kind};
}

Set bytes(void* pointer, int value, std::size_t count)
{
    return {.pointer = pointer, .value = static_cast<std::uint8_t>(value), .extent = {count}};
}

Copy rows(void* destination, std::size_t destinationPitch, const void* source, std::size_t sourcePitch,
          const Extent& extent, cudaMemcpyKind kind)
{
    return {.destination = destination,
            .source = source,
            .extent = extent,
            .destinationPitch = {destinationPitch},
            .sourcePitch = {sourcePitch},
            .kind = kind};
}

Set rows(void* pointer, std::size_t pitch, int value, const Extent& extent)
{
    return {
        .pointer = pointer, .value = static_cast<std::uint8_t>(value), .extent = extent, .pitch = {pitch}};
}

Set box(const cudaPitchedPtr& at, int value, const cudaExtent& extent)
{
    return {.pointer = at.ptr,
            .value = static_cast<std::uint8_t>(value),
            .extent = {extent.width, extent.height, extent.depth},
            .pitch = {at.pitch, at.pitch * at.ysize}};
}

cudaError_t boxOnStream(const cudaMemcpy3DParms* parameters, cudaStream_t stream, Caller caller)
{
    Copy copy;
    if (parameters == nullptr)
        return cudaErrorInvalidValue;
    const cudaError_t error = boxCopy(*parameters, copy);
    return error != cudaSuccess ? error : copyOnStream(copy, stream, caller);
}

// A peer copy comes after all work in the legacy streams of both devices, and before their later work.
cudaError_t copyBetween(const Copy& copy, int destination, int source)
{
    const auto current = device(currentDevice()).legacyStream();
    std::set<std::shared_ptr<Stream>> others{device(destination).legacyStream(),
                                             device(source).legacyStream()};
    others.erase(current);
    cudaError_t error = checkWait(*current);
    for (const auto& other : others)
        error = error != cudaSuccess ? error : checkUse(*other);
    if (error != cudaSuccess)
        return error;
    QueueItem item{.work = copyWork(copy, false)};
    for (const auto& other : others)
        if (CompletionPtr earlier = submit(*other, {}).done)
            item.after.push_back(std::move(earlier));
    const Submitted submitted = submit(*current, std::move(item));
    for (const auto& other : others)
        if (submitted.done != nullptr)
            submit(*other, {.after = {submitted.done}});
    return submitted.error;
}

cudaError_t checkPeers(Copy& copy, int destination, int source)
{
    if (!isDevice(destination) || !isDevice(source))
        return cudaErrorInvalidDevice;
    return checkCopy(copy);
}

} // namespace

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

cudaError_t cudaMemcpy2D(void* destination, std::size_t destinationPitch, const void* source,
                         std::size_t sourcePitch, std::size_t width, std::size_t height, cudaMemcpyKind kind)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy2D_v3020, [&] {
        return copyOnStream(rows(destination, destinationPitch, source, sourcePitch, {width, height}, kind),
                            nullptr, Caller::Synchronous);
    });
}

cudaError_t cudaMemcpy2DAsync(void* destination, std::size_t destinationPitch, const void* source,
                              std::size_t sourcePitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy2DAsync_v3020, [&] {
        return copyOnStream(rows(destination, destinationPitch, source, sourcePitch, {width, height}, kind),
                            stream, Caller::Async);
    });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy3D_v3020,
                   [&] { return boxOnStream(parameters, nullptr, Caller::Synchronous); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy3DAsync_v3020,
                   [&] { return boxOnStream(parameters, stream, Caller::Async); });
}

cudaError_t cudaMemcpyPeer(void* destination, int destinationDevice, const void* source, int sourceDevice,
                           std::size_t count)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyPeer_v4000, [&] {
        Copy copy = bytes(destination, source, count, cudaMemcpyDefault);
        const cudaError_t error = checkPeers(copy, destinationDevice, sourceDevice);
        return error != cudaSuccess || count == 0 ? error
                                                  : copyBetween(copy, destinationDevice, sourceDevice);
    });
}

cudaError_t cudaMemcpyPeerAsync(void* destination, int destinationDevice, const void* source,
                                int sourceDevice, std::size_t count, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyPeerAsync_v4000, [&] {
        Copy copy = bytes(destination, source, count, cudaMemcpyDefault);
        const cudaError_t error = checkPeers(copy, destinationDevice, sourceDevice);
        return error != cudaSuccess ? error : copyOnStream(copy, stream, Caller::Async);
    });
}

cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemset2D_v3020, [&] {
        return setOnStream(rows(pointer, pitch, value, {width, height}), nullptr, Caller::Synchronous);
    });
}

cudaError_t cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemset2DAsync_v3020, [&] {
        return setOnStream(rows(pointer, pitch, value, {width, height}), stream, Caller::Async);
    });
}

cudaError_t cudaMemset3D(cudaPitchedPtr at, int value, cudaExtent extent)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemset3D_v3020,
                   [&] { return setOnStream(box(at, value, extent), nullptr, Caller::Synchronous); });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr at, int value, cudaExtent extent, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaMemset3DAsync_v3020,
                   [&] { return setOnStream(box(at, value, extent), stream, Caller::Async); });
}
