// SPDX-License-Identifier: Apache-2.0
// Streams, and host functions on them.
#include "api.h"
#include "capture.h"
#include "event.h"

using namespace ringside::platform;

namespace {

cudaError_t create(cudaStream_t* handle, unsigned flags, int priority)
{
    if (handle == nullptr || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0)
        return cudaErrorInvalidValue;
    *handle = publishStream(device(currentDevice()).createStream(flags, priority));
    return cudaSuccess;
}

cudaError_t waitFor(Stream& stream, const std::shared_ptr<Event>& event, bool external)
{
    if (const auto captured = captureWait(stream.shared_from_this(), event, external))
        return *captured;
    if (external) // has a meaning only in captures
        return cudaErrorInvalidValue;
    const CompletionPtr recorded = event->recorded();
    return recorded == nullptr ? cudaSuccess : submit(stream, {.after = {recorded}}).error;
}

// Function of cudaStreamAddCallback: gets the stream and the status of its work.
struct Callback {
    cudaStreamCallback_t function;
    cudaStream_t stream;
    void* argument;
};

void runCallback(void* argument)
{
    const std::unique_ptr<const Callback> callback(static_cast<const Callback*>(argument));
    callback->function(callback->stream, cudaSuccess, callback->argument);
}

// Writes one option of a stream to the caller's variable.
template <class Value, class Get>
cudaError_t tell(cudaStream_t handle, Value* value, Get&& get)
{
    if (value == nullptr)
        return cudaErrorInvalidValue;
    return withStream(handle, [&](Stream& stream) {
        *value = static_cast<Value>(get(stream.options()));
        return cudaSuccess;
    });
}

} // namespace

cudaError_t cudaStreamCreate(cudaStream_t* handle)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamCreate_v3020,
                   [&] { return create(handle, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* handle, unsigned flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamCreateWithFlags_v5000,
                   [&] { return create(handle, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* handle, unsigned flags, int priority)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamCreateWithPriority_v5050,
                   [&] { return create(handle, flags, priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamDestroy_v5050, [&] {
        const std::shared_ptr<Stream> stream = retireStream(handle);
        if (stream == nullptr)
            return cudaErrorInvalidResourceHandle;
        leaveCapture(*stream);
        device(stream->options().device).destroyStream(stream);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
    // Waits for a marker instead of the newest item: on the legacy stream, a marker also waits for the
    // blocking streams.
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, [&] {
        return withStream(handle, [](Stream& stream) { return submitAndWait(stream, {}); });
    });
}

cudaError_t cudaStreamQuery(cudaStream_t handle)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_v3020, [&] {
        return withStream(handle, [](Stream& stream) {
            const cudaError_t error = checkWait(stream);
            if (error != cudaSuccess)
                return error;
            return device(stream.options().device).idle(stream) ? cudaSuccess : cudaErrorNotReady;
        });
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamWaitEvent_v3020, [&] {
        const std::shared_ptr<Event> found = findEvent(event);
        if ((flags & ~static_cast<unsigned>(cudaEventWaitExternal)) != 0)
            return cudaErrorInvalidValue;
        if (found == nullptr)
            return cudaErrorInvalidResourceHandle;
        return withStream(
            handle, [&](Stream& stream) { return waitFor(stream, found, flags == cudaEventWaitExternal); });
    });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetFlags_v5050, [&] {
        return tell(handle, flags, [](const StreamOptions& options) { return options.flags; });
    });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetPriority_v5050, [&] {
        return tell(handle, priority, [](const StreamOptions& options) { return options.priority; });
    });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetId_v12000,
                   [&] { return tell(handle, id, [](const StreamOptions& options) { return options.id; }); });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* index)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetDevice_v12080, [&] {
        return tell(handle, index, [](const StreamOptions& options) { return options.device; });
    });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* argument)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchHostFunc_v10000, [&] {
        if (function == nullptr)
            return cudaErrorInvalidValue;
        return withStream(handle, [&](Stream& stream) {
            return submit(stream, {.hostFunction = function, .hostArgument = argument}).error;
        });
    });
}

// The older form of host functions, which cannot be captured.
cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t function, void* argument,
                                  unsigned flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamAddCallback_v5000, [&] {
        if (function == nullptr || flags != 0)
            return cudaErrorInvalidValue;
        return withStream(handle, [&](Stream& stream) {
            const cudaError_t error = checkUnsupported(stream);
            if (error != cudaSuccess)
                return error;
            auto callback = std::make_unique<Callback>(Callback{function, handle, argument});
            const Submitted submitted =
                submit(stream, {.hostFunction = runCallback, .hostArgument = callback.get()});
            if (submitted.error == cudaSuccess)
                static_cast<void>(callback.release()); // the stream owns it now
            return submitted.error;                    // NOLINT(*NewDeleteLeaks): runCallback frees it
        });
    });
}
