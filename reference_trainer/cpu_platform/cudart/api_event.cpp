// SPDX-License-Identifier: Apache-2.0
// Events: record, wait, and the device time between two of them.
#include "api.h"
#include "capture.h"
#include "event.h"
#include "handles.h"

namespace ringside::platform {
namespace {

Handles<cudaEvent_t, Event>& eventHandles()
{
    static auto* table = new Handles<cudaEvent_t, Event>;
    return *table;
}

cudaError_t create(cudaEvent_t* handle, unsigned flags)
{
    constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming;
    if (handle == nullptr || (flags & ~kKnown) != 0)
        return cudaErrorInvalidValue;
    *handle = eventHandles().publish(std::make_shared<Event>(currentDevice(), flags));
    return cudaSuccess;
}

cudaError_t record(cudaEvent_t handle, cudaStream_t streamHandle, unsigned flags)
{
    const std::shared_ptr<Event> event = findEvent(handle);
    if ((flags & ~static_cast<unsigned>(cudaEventRecordExternal)) != 0)
        return cudaErrorInvalidValue;
    if (event == nullptr)
        return cudaErrorInvalidResourceHandle;
    return withStream(streamHandle, [&](Stream& stream) {
        if (stream.options().device != event->device())
            return cudaErrorInvalidResourceHandle;
        const bool external = flags == cudaEventRecordExternal;
        if (const auto captured = captureRecord(stream, event, external))
            return *captured;
        if (external) // has a meaning only in captures
            return cudaErrorInvalidValue;
        const Submitted marker = submit(stream, {});
        if (marker.done != nullptr)
            event->record(marker.done);
        return marker.error;
    });
}

// Runs `body` with an event if the host may wait for it or query it now.
template <class Body>
cudaError_t withEvent(cudaEvent_t handle, Body&& body)
{
    const std::shared_ptr<Event> event = findEvent(handle);
    if (event == nullptr)
        return cudaErrorInvalidResourceHandle;
    const cudaError_t error = checkWait(*event);
    return error != cudaSuccess ? error : body(*event);
}

cudaError_t elapsed(const Event& start, const Event& end, float& milliseconds)
{
    if (start.captured() != nullptr || end.captured() != nullptr)
        return cudaErrorCapturedEvent;
    const CompletionPtr from = start.recorded();
    const CompletionPtr to = end.recorded();
    if (start.device() != end.device())
        return cudaErrorInvalidResourceHandle;
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
    return eventHandles().find(handle);
}

void destroyEvents(int device)
{
    eventHandles().retireIf([device](const Event& event) { return event.device() == device; });
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
        return eventHandles().retire(handle) != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020, [&] { return record(handle, stream, 0); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream, unsigned flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaEventRecordWithFlags_v11010,
                   [&] { return record(handle, stream, flags); });
}

cudaError_t cudaEventQuery(cudaEvent_t handle)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020, [&] {
        return withEvent(handle, [](const Event& event) {
            const CompletionPtr marker = event.recorded();
            return marker == nullptr || marker->done() ? cudaSuccess : cudaErrorNotReady;
        });
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020, [&] {
        return withEvent(handle, [](const Event& event) {
            if (const CompletionPtr marker = event.recorded())
                marker->wait();
            return cudaSuccess;
        });
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
