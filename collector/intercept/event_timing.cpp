// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime keeps the last error of each thread for the program. A failing call of the collector
// would replace it. So the collector makes no call while an error is pending, and it clears its own
// error at once. (An error that breaks the device is returned again by the program's next call.)
#include "device/event_timing.h"

#include "calls/wrapper.h"

#include <ctime>

namespace ringside::collector {

constinit EventTiming g_eventTiming;

namespace {

bool succeeded(const char* function, cudaError_t result)
{
    if (result != cudaSuccess) {
        g_eventTiming.cuda.takeLastError();
        g_eventTiming.fail(function, result);
    }
    return result == cudaSuccess;
}

bool hasPendingError()
{
    return g_eventTiming.cuda.peekLastError() != cudaSuccess;
}

/// The reason why this stream gets no events. kCount: it gets them.
EventSkip obstacle(cudaStream_t stream, int device)
{
    const EventLibrary& cuda = g_eventTiming.cuda;
    const auto handle = reinterpret_cast<std::uint64_t>(stream);
    if (handle <= kLegacyStream) { // every action there is a barrier between all blocking streams
        return EventSkip::LegacyStream;
    }
    if (device < 0 || device >= static_cast<int>(EventTiming::kMostDevices)) {
        return EventSkip::OtherDevice;
    }
    if (hasPendingError()) {
        return EventSkip::PendingError;
    }
    int current = -1; // this handle means a stream of the current device
    if (handle == kStreamPerThread &&
        (!succeeded("cudaGetDevice", cuda.getDevice(&current)) || current != device)) {
        return EventSkip::OtherDevice;
    }
    auto status = cudaStreamCaptureStatusNone;
    const bool known = succeeded("cudaStreamIsCapturing", cuda.isCapturing(stream, &status));
    return known && status == cudaStreamCaptureStatusNone ? EventSkip::kCount : EventSkip::Capture;
}

void giveBack(EventPair* pair)
{
    pair->state.store(EventPair::State::Free, std::memory_order_release);
}

} // namespace

EventPair* beginEventTime(const ThreadState& thread, std::uint64_t call, cudaStream_t stream, int device)
{
    if (const EventSkip why = obstacle(stream, device); why != EventSkip::kCount) {
        g_eventTiming.skip(why);
        return nullptr;
    }
    EventPool* const pool =
        g_eventTiming.pools[static_cast<std::size_t>(device)].load(std::memory_order_acquire);
    EventPair* const pair = pool != nullptr ? pool->take() : nullptr;
    if (pair == nullptr) {
        g_eventTiming.skip(pool == nullptr ? EventSkip::NotMadeYet : EventSkip::NoFreePair);
        return nullptr;
    }
    pair->call = call;
    pair->stream = streamId(thread, stream, [device] { return device; });
    if (!succeeded("cudaEventRecord", g_eventTiming.cuda.record(pair->before, stream))) {
        giveBack(pair);
        return nullptr;
    }
    return pair;
}

void endEventTime(EventPair* pair, cudaStream_t stream, bool launched)
{
    if (pair == nullptr) {
        return;
    }
    const bool pending = launched && hasPendingError();
    if (!launched || pending) {
        g_eventTiming.skip(pending ? EventSkip::PendingError : EventSkip::NotLaunched);
        giveBack(pair);
    } else if (g_eventTiming.on.load(std::memory_order_acquire) &&
               succeeded("cudaEventRecord", g_eventTiming.cuda.record(pair->after, stream))) {
        pair->state.store(EventPair::State::Recorded, std::memory_order_release);
    } else {
        giveBack(pair);
    }
}

void forgetEvents()
{
    g_eventTiming.on.store(false, std::memory_order_release);
    g_eventTiming.gone.store(true);
    timespec until{};
    clock_gettime(CLOCK_MONOTONIC, &until);
    ++until.tv_sec;
    if (pthread_mutex_clocklock(&g_eventTiming.asking, CLOCK_MONOTONIC, &until) == 0) {
        pthread_mutex_unlock(&g_eventTiming.asking);
    }
}

void noteStreamOfGroup(ThreadState& thread, cudaStream_t stream, int device)
{
    GroupStreams& streams = thread.groupStreams;
    for (std::size_t i = 0; i < streams.count; ++i) {
        if (streams.all[i].stream == stream && streams.all[i].device == device) {
            return;
        }
    }
    if (streams.count < GroupStreams::kMost) {
        streams.all[streams.count++] = {stream, device};
    } else {
        g_eventTiming.skip(EventSkip::TooManyStreams);
    }
}

GroupEventTimes::GroupEventTimes(ThreadState& thread) : m_streams(thread.groupStreams)
{
    for (std::size_t i = 0; i < m_streams.count; ++i) {
        m_pairs[i] =
            beginEventTime(thread, thread.groupId, static_cast<cudaStream_t>(m_streams.all[i].stream),
                           m_streams.all[i].device);
    }
}

void GroupEventTimes::end(bool launched)
{
    for (std::size_t i = 0; i < m_streams.count; ++i) {
        endEventTime(m_pairs[i], static_cast<cudaStream_t>(m_streams.all[i].stream), launched);
    }
}

} // namespace ringside::collector
