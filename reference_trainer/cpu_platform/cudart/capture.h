// SPDX-License-Identifier: Apache-2.0
// Stream capture: which streams capture into which graph, how other streams join, and which calls CUDA
// forbids meanwhile. The rules are those of the CUDA programming guide ("Prohibited and unhandled
// operations"): a forbidden call fails and invalidates every capture that it would have affected.
#pragma once
#include "graph.h"
#include "stream.h"

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <span>

namespace ringside::platform {

class Capture;

/// The state of a capture when an event was recorded in it.
struct CapturedPoint {
    std::shared_ptr<Capture> capture;
    GraphNodes nodes;
};

/// `graph` null: captures into a new graph; `dependencies`: the dependencies of the first node.
[[nodiscard]] cudaError_t beginCapture(const std::shared_ptr<Stream>& stream, cudaStreamCaptureMode mode,
                                       GraphPtr graph, GraphNodes dependencies);
/// Ends the capture and returns its graph. Every error also ends it, except for a wrong stream or thread.
[[nodiscard]] cudaError_t endCapture(const Stream& stream, cudaGraph_t& graph);

struct CaptureState {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    cudaGraph_t graph = nullptr;
    /// Both are valid until the stream's next call. All edges are of the default kind.
    std::span<const cudaGraphNode_t> dependencies = {};
    const cudaGraphEdgeData* edges = nullptr;
};
/// Returns cudaErrorStreamCaptureImplicit for a legacy stream if a blocking stream captures.
[[nodiscard]] cudaError_t captureState(const Stream& stream, CaptureState& state);
[[nodiscard]] bool isCapturing(const Stream& stream);
[[nodiscard]] cudaError_t setCaptureDependencies(const Stream& stream,
                                                 std::span<const cudaGraphNode_t> dependencies, bool add);

/// Captures a call if the stream is capturing: returns the result of the call, which is not executed, and
/// takes ownership of the item's work. Returns nothing if the stream is not capturing.
[[nodiscard]] std::optional<cudaError_t> captureItem(const Stream& stream, const QueueItem& item);
[[nodiscard]] std::optional<cudaError_t> captureRecord(const Stream& stream,
                                                       const std::shared_ptr<Event>& event, bool external);
/// Also adds a stream to the capture in which the event was recorded.
[[nodiscard]] std::optional<cudaError_t> captureWait(const std::shared_ptr<Stream>& stream,
                                                     const std::shared_ptr<Event>& event, bool external);

/// Checks a call that queues to a stream or queries it: other captures may forbid it.
[[nodiscard]] cudaError_t checkUse(const Stream& stream);
/// Checks a call that waits for a stream or queries its completion.
[[nodiscard]] cudaError_t checkWait(const Stream& stream);
/// Checks a call that waits for an event, or queries its completion or time.
[[nodiscard]] cudaError_t checkWait(const Event& event);
/// Checks a call that waits for a device.
[[nodiscard]] cudaError_t checkDeviceWait(int device);
/// Checks a call that CUDA names potentially unsafe during captures (allocation, waiting, ...).
[[nodiscard]] cudaError_t checkUnsafe();
/// Checks a call that a capturing stream does not support.
[[nodiscard]] cudaError_t checkUnsupported(const Stream& stream);
/// Exchanges the calling thread's mode for checkUnsafe.
cudaStreamCaptureMode exchangeCaptureMode(cudaStreamCaptureMode mode);
/// Called when a stream is destroyed.
void leaveCapture(const Stream& stream);

} // namespace ringside::platform
