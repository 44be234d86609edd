// SPDX-License-Identifier: Apache-2.0
// Stream capture: which streams are capturing into which graph, what joins them, and which calls CUDA forbids
// meanwhile. The rules are those of the CUDA programming guide ("Prohibited and unhandled operations"): a
// forbidden call fails and invalidates every capture it would have touched.
#pragma once
#include "graph.h"
#include "stream.h"

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <span>

namespace ringside::platform {

class Capture;

/// Where a capture stood when an event was recorded in it.
struct CapturedPoint {
    std::shared_ptr<Capture> capture;
    GraphNodes nodes;
};

/// `graph` null: into a new one; `dependencies`: what the first node waits for.
[[nodiscard]] cudaError_t beginCapture(const std::shared_ptr<Stream>& stream, cudaStreamCaptureMode mode,
                                       GraphPtr graph, GraphNodes dependencies);
/// Ends the capture and gives its graph. Every error ends it too, but for a wrong stream or thread.
[[nodiscard]] cudaError_t endCapture(const Stream& stream, cudaGraph_t& graph);

struct CaptureState {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    cudaGraph_t graph = nullptr;
    /// Both valid until the stream's next call. Our edges are all of the default kind.
    std::span<const cudaGraphNode_t> dependencies = {};
    const cudaGraphEdgeData* edges = nullptr;
};
/// cudaErrorStreamCaptureImplicit for a legacy stream that has no state because a blocking stream captures.
[[nodiscard]] cudaError_t captureState(const Stream& stream, CaptureState& state);
[[nodiscard]] bool isCapturing(const Stream& stream);
[[nodiscard]] cudaError_t setCaptureDependencies(const Stream& stream,
                                                 std::span<const cudaGraphNode_t> dependencies, bool add);

/// On a capturing stream (otherwise they give nothing): what a call has come to without being carried out.
/// Takes the item's work.
[[nodiscard]] std::optional<cudaError_t> captureItem(const Stream& stream, const QueueItem& item);
[[nodiscard]] std::optional<cudaError_t> captureRecord(const Stream& stream,
                                                       const std::shared_ptr<Event>& event, bool external);
/// Also draws a stream into the capture that the event was recorded in.
[[nodiscard]] std::optional<cudaError_t> captureWait(const std::shared_ptr<Stream>& stream,
                                                     const std::shared_ptr<Event>& event, bool external);

/// A call that queues to a stream or asks about it: is it forbidden because others capture?
[[nodiscard]] cudaError_t checkUse(const Stream& stream);
/// A call that waits for a stream or asks whether it is done.
[[nodiscard]] cudaError_t checkWait(const Stream& stream);
/// A call that waits for an event, asks whether it is done, or when.
[[nodiscard]] cudaError_t checkWait(const Event& event);
/// A call that waits for a device.
[[nodiscard]] cudaError_t checkDeviceWait(int device);
/// A call that CUDA calls potentially unsafe during captures (allocation, waiting, ...).
[[nodiscard]] cudaError_t checkUnsafe();
/// A call that a capturing stream does not support.
[[nodiscard]] cudaError_t checkUnsupported(const Stream& stream);
/// The calling thread's mode for checkUnsafe.
cudaStreamCaptureMode exchangeCaptureMode(cudaStreamCaptureMode mode);
/// A stream is being destroyed.
void leaveCapture(const Stream& stream);

} // namespace ringside::platform
