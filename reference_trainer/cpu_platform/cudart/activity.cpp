// SPDX-License-Identifier: Apache-2.0
#include "activity.h"

#include "clock.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace ringside::platform {
namespace {

std::atomic<const ActivitySink*> currentSink = nullptr;
std::atomic<std::uint32_t> newestCorrelation = 0;
// correlation id of the call in progress on this thread, 0 outside of calls
thread_local std::uint32_t threadCorrelation = 0;
thread_local cudaError_t threadError = cudaSuccess;

} // namespace

ApiCall::ApiCall(ApiFunction function) : m_function(threadCorrelation == 0 ? function : ApiFunction{})
{
    if (m_function.cbid == 0)
        return;
    threadCorrelation = ++newestCorrelation;
    if (const ActivitySink* sink = currentSink.load(std::memory_order_acquire)) {
        sink->apiBegin(m_function, threadCorrelation);
        m_startNs = ringside_platform_now_ns();
    }
}

ApiCall::~ApiCall()
{
    if (m_function.cbid == 0)
        return;
    const std::uint32_t correlation = threadCorrelation;
    threadCorrelation = 0;
    const ActivitySink* sink = currentSink.load(std::memory_order_acquire);
    if (sink != nullptr && m_startNs != 0)
        sink->apiEnd({m_function, m_startNs, ringside_platform_now_ns(), static_cast<std::uint32_t>(getpid()),
                      static_cast<std::uint32_t>(gettid()), pthread_self(), correlation, m_result});
}

cudaError_t ApiCall::finish(cudaError_t result)
{
    m_result = result;
    if (result != cudaSuccess)
        threadError = result;
    return result;
}

std::uint32_t ApiCall::correlation()
{
    return threadCorrelation;
}

cudaError_t lastError()
{
    return threadError;
}

void setLastError(cudaError_t error)
{
    threadError = error;
}

void setSink(const ActivitySink* sink)
{
    currentSink.store(sink, std::memory_order_release);
}

void reportWork(const QueueItem& item, const StreamOptions& stream, std::int64_t startNs, std::int64_t endNs)
{
    const ActivitySink* sink = currentSink.load(std::memory_order_acquire);
    if (sink == nullptr)
        return;
    const auto device = static_cast<std::uint32_t>(stream.device);
    sink->work({item.work.kind, item.work.name, realtimeAt(startNs), realtimeAt(endNs), device, device + 1,
                stream.id, item.correlation, item.work.bytes, item.work.copyKind, item.work.shape,
                item.graphId, item.graphNodeId, item.work.peers});
}

} // namespace ringside::platform
