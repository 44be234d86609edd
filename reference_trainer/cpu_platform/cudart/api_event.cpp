// SPDX-License-Identifier: Apache-2.0
// Events: recording, waiting, and the device time between two of them.
#include "api.h"
#include "event.h"

#include <unordered_map>

namespace ringside::platform {
namespace {

struct EventTable {
    std::mutex mutex;
    std::unordered_map<cudaEvent_t, std::shared_ptr<Event>> events;
};

EventTable& eventTable()
{
    static auto* table = new EventTable;
    return *table;
}

cudaError_t create(cudaEvent_t* handle, unsigned flags)
{
    constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming;
    if (handle == nullptr || (flags & ~kKnown) != 0)
        return cudaErrorInvalidValue;
    auto event = std::make_shared<Event>(currentDevice(), flags);
    *handle = reinterpret_cast<cudaEvent_t>(event.get());
    EventTable& table = eventTable();
    const std::lock_guard lock(table.mutex);
    table.events[*handle] = std::move(event);
    return cudaSuccess;
}

cudaError_t record(cudaEvent_t handle, cudaStream_t streamHandle)
{
    const std::shared_ptr<Event> event = findEvent(handle);
    if (event == nullptr)
        return cudaErrorInvalidResourceHandle;
    return withStream(streamHandle, [&](Stream& stream) {
        if (stream.options().device != event->device())
            return cudaErrorInvalidResourceHandle;
        event->record(enqueue(stream, {}));
        return cudaSuccess;
    });
}

cudaError_t elapsed(const Event& start, const Event& end, float& milliseconds)
{
    const CompletionPtr from = start.recorded();
    const CompletionPtr to = end.recorded();
    if (!start.timed() || !end.timed() || from == nullptr || to == nullptr)
        return cudaErrorInvalidResourceHandle;
    if (!from->done() || !to->done())
        return cudaErrorNotReady;
    milliseconds = static_cast<float>(static_cast<double>(to->endNs() - from->endNs()) * 1e-6);
    return cudaSuccess;
}

} // namespace

std::shared_ptr<Event> findEvent(cudaEvent_t handle)
{
    EventTable& table = eventTable();
    const std::lock_guard lock(table.mutex);
    const auto found = table.events.find(handle);
    return found == table.events.end() ? nullptr : found->second;
}

} // namespace ringside::platform

using namespace ringside::platform;

cudaError_t cudaEventCreate(cudaEvent_t* handle)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaEventCreate_v3020,
                   [&] { return create(handle, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* handle, unsigned flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaEventCreateWithFlags_v3020,
                   [&] { return create(handle, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaEventDestroy_v3020, [&] {
        EventTable& table = eventTable();
        const std::lock_guard lock(table.mutex);
        return table.events.erase(handle) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020, [&] { return record(handle, stream); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream, unsigned flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaEventRecordWithFlags_v11010,
                   [&] { return flags != 0 ? cudaErrorInvalidValue : record(handle, stream); });
}

cudaError_t cudaEventQuery(cudaEvent_t handle)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020, [&] {
        const std::shared_ptr<Event> event = findEvent(handle);
        if (event == nullptr)
            return cudaErrorInvalidResourceHandle;
        const CompletionPtr marker = event->recorded();
        return marker == nullptr || marker->done() ? cudaSuccess : cudaErrorNotReady;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020, [&] {
        const std::shared_ptr<Event> event = findEvent(handle);
        if (event == nullptr)
            return cudaErrorInvalidResourceHandle;
        if (const CompletionPtr marker = event->recorded())
            marker->wait();
        return cudaSuccess;
    });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaEventElapsedTime_v12080, [&] {
        const std::shared_ptr<Event> from = findEvent(start);
        const std::shared_ptr<Event> to = findEvent(end);
        if (milliseconds == nullptr)
            return cudaErrorInvalidValue;
        return from == nullptr || to == nullptr ? cudaErrorInvalidResourceHandle
                                                : elapsed(*from, *to, *milliseconds);
    });
}
