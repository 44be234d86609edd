// SPDX-License-Identifier: Apache-2.0
#include "joined_streams.h"

#include "communicator.h"
#include "device_restored.h"

#include <algorithm>

namespace ringside::nccl {
namespace {

/// Makes `later` wait for the work queued on `earlier` so far. Default streams are those of the current
/// device.
void order(cudaStream_t earlier, cudaStream_t later)
{
    cudaEvent_t event = nullptr;
    checkCuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    const cudaError_t recorded = cudaEventRecord(event, earlier);
    const cudaError_t waiting = recorded == cudaSuccess ? cudaStreamWaitEvent(later, event, 0) : recorded;
    cudaEventDestroy(event);
    checkCuda(waiting, "joining the streams of a group");
}

} // namespace

JoinedStreams::JoinedStreams(const std::vector<Operation>& operations)
    : m_device(operations.front().communicator->device())
{
    for (const Operation& operation : operations)
        if (std::ranges::find(m_streams, operation.stream) == m_streams.end())
            m_streams.push_back(operation.stream);
}

void JoinedStreams::forEachOther(void (*act)(cudaStream_t other, cudaStream_t launching)) const
{
    if (m_streams.size() == 1)
        return;
    const DeviceRestored restored;
    checkCuda(cudaSetDevice(m_device), "cudaSetDevice");
    for (const cudaStream_t stream : m_streams)
        if (stream != launching())
            act(stream, launching());
}

void JoinedStreams::join() const
{
    forEachOther([](cudaStream_t other, cudaStream_t launching) { order(other, launching); });
}

void JoinedStreams::fork() const
{
    forEachOther([](cudaStream_t other, cudaStream_t launching) { order(launching, other); });
}

} // namespace ringside::nccl
