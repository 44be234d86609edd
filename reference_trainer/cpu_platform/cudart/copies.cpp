// SPDX-License-Identifier: Apache-2.0
#include "copies.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace ringside::platform {
namespace {

template <class Task>
void* cloneTask(const void* task)
{
    return new (std::nothrow) Task(*static_cast<const Task*>(task));
}

/// Calls `row(offset in the first box, offset in the second)` for each row.
template <class Row>
void forEachRow(const Extent& extent, const Pitch& first, const Pitch& second, Row&& row)
{
    for (std::size_t slice = 0; slice < extent.slices; ++slice)
        for (std::size_t i = 0; i < extent.rows; ++i)
            row(slice * first.slice + i * first.row, slice * second.slice + i * second.row);
}

void copyRows(const Copy& copy)
{
    auto* destination = static_cast<char*>(copy.destination);
    const auto* source = static_cast<const char*>(copy.source);
    forEachRow(copy.extent, copy.destinationPitch, copy.sourcePitch, [&](std::size_t to, std::size_t from) {
        std::memmove(destination + to, source + from, copy.extent.width);
    });
}

struct CopyTask {
    Copy copy;
    bool staged; ///< the source is a staging buffer, which is freed after the copy
};

void runCopy(void* argument, bool skip)
{
    const std::unique_ptr<CopyTask> task(static_cast<CopyTask*>(argument));
    if (!skip)
        copyRows(task->copy);
    if (task->staged)
        std::free(const_cast<void*>(task->copy.source));
}

void runSet(void* argument, bool skip)
{
    const std::unique_ptr<Set> set(static_cast<Set*>(argument));
    if (skip)
        return;
    forEachRow(set->extent, set->pitch, {}, [&](std::size_t offset, std::size_t) {
        char* row = static_cast<char*>(set->pointer) + offset;
        if (set->elementSize == 1)
            std::memset(row, static_cast<int>(set->value), set->extent.width);
        else // little endian: the low bytes come first
            for (std::size_t i = 0; i < set->extent.width; i += set->elementSize)
                std::memcpy(row + i, &set->value, set->elementSize);
    });
}

// Copies the rows into a contiguous buffer.
Copy stage(Copy copy)
{
    Copy staged = copy;
    staged.sourcePitch = {copy.extent.width, copy.extent.width * copy.extent.rows};
    void* buffer = std::malloc(copy.extent.bytes());
    if (buffer == nullptr)
        throw std::bad_alloc();
    copy.destination = buffer;
    copy.destinationPitch = staged.sourcePitch;
    copyRows(copy);
    staged.source = buffer;
    return staged;
}

bool isDeviceSide(MemoryType type)
{
    return type == MemoryType::Device || type == MemoryType::Managed;
}

cudaMemcpyKind kindOf(MemoryType destination, MemoryType source)
{
    if (isDeviceSide(destination))
        return isDeviceSide(source) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    return isDeviceSide(source) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

// With unified addressing, devices can also access pinned memory, and all can access managed memory.
bool allows(cudaMemcpyKind kind, MemoryType destination, MemoryType source)
{
    const bool toDevice = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool fromDevice = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return destination != (toDevice ? MemoryType::Pageable : MemoryType::Device) &&
           source != (fromDevice ? MemoryType::Pageable : MemoryType::Device);
}

bool fits(const Extent& extent, const Pitch& pitch)
{
    return (extent.rows <= 1 || pitch.row >= extent.width) &&
           (extent.slices <= 1 || pitch.slice >= pitch.row * extent.rows);
}

} // namespace

cudaError_t checkCopy(Copy& copy)
{
    if (copy.kind < cudaMemcpyHostToHost || copy.kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!fits(copy.extent, copy.destinationPitch) || !fits(copy.extent, copy.sourcePitch))
        return cudaErrorInvalidPitchValue;
    if (copy.extent.bytes() != 0 && (copy.destination == nullptr || copy.source == nullptr))
        return cudaErrorInvalidValue;
    const MemoryRange to = findMemory(copy.destination);
    const MemoryRange from = findMemory(copy.source);
    copy.to = to.type;
    copy.from = from.type;
    if (copy.kind == cudaMemcpyDefault)
        copy.kind = kindOf(copy.to, copy.from);
    else if (!allows(copy.kind, copy.to, copy.from))
        return cudaErrorInvalidValue;
    if (to.owned && from.owned && to.type == MemoryType::Device && from.type == MemoryType::Device &&
        to.device != from.device)
        copy.peers = {from.device, to.device};
    return cudaSuccess;
}

cudaError_t boxCopy(const cudaMemcpy3DParms& parameters, Copy& copy)
{
    if (parameters.srcArray != nullptr || parameters.dstArray != nullptr)
        return cudaErrorNotSupported;
    const auto pitchOf = [](const cudaPitchedPtr& box) { return Pitch{box.pitch, box.pitch * box.ysize}; };
    const auto begin = [&pitchOf](const cudaPitchedPtr& box, const cudaPos& at) {
        return static_cast<char*>(box.ptr) + at.x + at.y * box.pitch + at.z * pitchOf(box).slice;
    };
    copy.destination = begin(parameters.dstPtr, parameters.dstPos);
    copy.source = begin(parameters.srcPtr, parameters.srcPos);
    copy.extent = {parameters.extent.width, parameters.extent.height, parameters.extent.depth};
    copy.destinationPitch = pitchOf(parameters.dstPtr);
    copy.sourcePitch = pitchOf(parameters.srcPtr);
    copy.kind = parameters.kind;
    return cudaSuccess;
}

Work copyWork(const Copy& copy, bool staged)
{
    static constexpr const char* kNames[] = {"memcpy HtoH", "memcpy HtoD", "memcpy DtoH", "memcpy DtoD"};
    const std::size_t bytes = copy.extent.bytes();
    Work work{.kind = WorkKind::Copy, .name = kNames[copy.kind], .run = runCopy, .bytes = bytes};
    work.arg = new CopyTask{staged ? stage(copy) : copy, staged};
    if (!staged) // the first copy frees a staging buffer
        work.clone = cloneTask<CopyTask>;
    work.copyKind = static_cast<std::uint8_t>(copy.kind);
    work.peers = copy.peers;
    if (copy.kind == cudaMemcpyDeviceToDevice && !copy.peers.differ())
        work.cost.memoryBytes = 2 * static_cast<double>(bytes);
    else
        work.cost.copyBytes = static_cast<double>(bytes);
    return work;
}

cudaError_t checkSet(const Set& set)
{
    if (set.extent.bytes() == 0)
        return cudaSuccess;
    if (!fits(set.extent, set.pitch))
        return cudaErrorInvalidPitchValue;
    return findMemory(set.pointer).type == MemoryType::Pageable ? cudaErrorInvalidValue : cudaSuccess;
}

Work setWork(const Set& set)
{
    Work work{.kind = WorkKind::Set, .name = "memset", .run = runSet, .clone = cloneTask<Set>};
    work.bytes = set.extent.bytes();
    work.arg = new Set(set);
    work.cost.memoryBytes = static_cast<double>(work.bytes);
    return work;
}

} // namespace ringside::platform
