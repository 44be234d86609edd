// SPDX-License-Identifier: Apache-2.0
// Stream capture: begin, end and queries.
#include "api.h"
#include "capture.h"

using namespace ringside::platform;

namespace {

bool isMode(cudaStreamCaptureMode mode)
{
    return mode == cudaStreamCaptureModeGlobal || mode == cudaStreamCaptureModeThreadLocal ||
           mode == cudaStreamCaptureModeRelaxed;
}

template <class Value>
void tell(Value* place, const Value& value)
{
    if (place != nullptr)
        *place = value;
}

} // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamBeginCapture_v10000, [&] {
        if (!isMode(mode))
            return cudaErrorInvalidValue;
        return withStream(handle, [&](Stream& stream) {
            return beginCapture(stream.shared_from_this(), mode, nullptr, {});
        });
    });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t handle, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*,
                                          std::size_t count, cudaStreamCaptureMode mode)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamBeginCaptureToGraph_v12030, [&] {
        const GraphPtr found = findGraph(graph);
        GraphNodes nodes;
        if (!isMode(mode) || found == nullptr || !findNodes(*found, {dependencies, count}, nodes))
            return cudaErrorInvalidValue;
        return withStream(handle, [&](Stream& stream) {
            return beginCapture(stream.shared_from_this(), mode, found, std::move(nodes));
        });
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamEndCapture_v10000, [&] {
        if (graph == nullptr)
            return cudaErrorInvalidValue;
        *graph = nullptr;
        return withStream(handle, [&](Stream& stream) { return endCapture(stream, *graph); });
    });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamIsCapturing_v10000, [&] {
        if (status == nullptr)
            return cudaErrorInvalidValue;
        return withStream(handle, [&](Stream& stream) {
            CaptureState state;
            const cudaError_t error = captureState(stream, state);
            *status = state.status;
            return error;
        });
    });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges,
                                     std::size_t* count)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetCaptureInfo_v12030, [&] {
        if (status == nullptr || (edges != nullptr && dependencies == nullptr))
            return cudaErrorInvalidValue;
        return withStream(handle, [&](Stream& stream) {
            CaptureState state;
            const cudaError_t error = captureState(stream, state);
            *status = state.status;
            if (error != cudaSuccess || state.status != cudaStreamCaptureStatusActive)
                return error;
            tell(id, state.id);
            tell(graph, state.graph);
            tell(dependencies, state.dependencies.data());
            tell(edges, state.edges);
            tell(count, state.dependencies.size());
            return cudaSuccess;
        });
    });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData*, std::size_t count, unsigned flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaStreamUpdateCaptureDependencies_v12030, [&] {
        if (flags > cudaStreamSetCaptureDependencies || (count != 0 && dependencies == nullptr))
            return cudaErrorInvalidValue;
        return withStream(handle, [&](Stream& stream) {
            return setCaptureDependencies(stream, {dependencies, count},
                                          flags == cudaStreamAddCaptureDependencies);
        });
    });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaThreadExchangeStreamCaptureMode_v10010, [&] {
        if (mode == nullptr || !isMode(*mode))
            return cudaErrorInvalidValue;
        *mode = exchangeCaptureMode(*mode);
        return cudaSuccess;
    });
}
