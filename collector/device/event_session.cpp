// SPDX-License-Identifier: Apache-2.0
#include "device/event_session.h"

#include "record/clock.h"
#include "record/own_thread.h"
#include "record/program_calls.h"
#include "record/session.h"

#include <bit>
#include <cerrno>
#include <exception>

namespace ringside::collector {
namespace {

/// No more calls are to be timed.
bool isOver()
{
    return g_eventTiming.gone.load() || g_eventTiming.failedIn.load() != nullptr;
}

} // namespace

EventSession::EventSession()
{
    sem_init(&m_wake, 0, 0);
}

const char* EventSession::start()
{
    constexpr std::size_t kRingBytes = std::size_t{1} << 20; // 16,000 calls: a pass of the drain is 250 ms
    m_ring = makeOwnRing(kRingBytes);
    if (m_ring == nullptr) {
        return "there was no room for their ring";
    }
    return startProgramCallsThread(m_thread, &EventSession::threadMain, this)
               ? nullptr
               : "no thread could be made to serve them";
}

void EventSession::want(bool on)
{
    m_wanted.store(on);
    if (!on) {
        g_eventTiming.on.store(false, std::memory_order_release);
    }
    sem_post(&m_wake);
}

bool EventSession::end(int milliseconds)
{
    want(false);
    m_ending = true;
    sem_post(&m_wake);
    return joinOwnThread(m_thread, inMilliseconds(milliseconds));
}

void* EventSession::threadMain(void* self)
{
    pthread_setname_np(pthread_self(), "ringside-events");
    const Inside inside; // what it asks of CUDA is not the program's doing
    static_cast<EventSession*>(self)->run();
    return nullptr;
}

void EventSession::run()
try {
    // Asking about an event would else end another thread's capture.
    auto mode = cudaStreamCaptureModeRelaxed;
    if (const cudaError_t result = g_eventTiming.cuda.exchangeMode(&mode); result != cudaSuccess) {
        g_eventTiming.fail("cudaThreadExchangeStreamCaptureMode", result);
        return;
    }
    constexpr int kPatienceMs = 200; // of a process that ends
    constexpr long kPauseNs = 2'000'000;
    while (!m_ending.load() && !isOver()) {
        step();
        waitForWork();
    }
    const std::int64_t until = readClockNs(CLOCK_MONOTONIC) + kPatienceMs * std::int64_t{1'000'000};
    for (step(); hasMore() && readClockNs(CLOCK_MONOTONIC) < until; step()) {
        const timespec pause{0, kPauseNs};
        nanosleep(&pause, nullptr);
    }
} catch (const std::exception&) { // memory is out
    constexpr int kMemoryAllocation = 2;
    g_eventTiming.fail("an allocation", kMemoryAllocation);
}

void EventSession::step()
{
    pthread_mutex_lock(&g_eventTiming.asking);
    if (!g_eventTiming.gone.load() && !m_reader.failed()) {
        if (!isOver()) {
            addDevices();
        }
        m_reader.pass(*m_ring);
    }
    pthread_mutex_unlock(&g_eventTiming.asking);
    if (m_wanted.load() && !isOver() && !g_eventTiming.on.load()) {
        m_onNs.store(readClockNs(CLOCK_MONOTONIC));
        g_eventTiming.on.store(true, std::memory_order_release);
        if (!m_wanted.load() || isOver()) { // meanwhile
            g_eventTiming.on.store(false, std::memory_order_release);
        }
    }
}

// Those that the program uses already: nothing is initialised for us.
void EventSession::addDevices()
{
    for (std::uint64_t fresh = registry().devicesSeen.load() & ~m_added; fresh != 0; fresh &= fresh - 1) {
        const int device = std::countr_zero(fresh);
        if (!m_reader.addDevice(device)) {
            return;
        }
        m_added |= std::uint64_t{1} << static_cast<unsigned>(device);
    }
}

bool EventSession::hasMore() const
{
    return m_reader.waiting() > 0 && !m_reader.failed() && !g_eventTiming.gone.load();
}

void EventSession::waitForWork()
{
    constexpr int kEveryMs = 10;
    if (!m_wanted.load() && m_reader.waiting() == 0) {
        while (sem_wait(&m_wake) != 0) { // interrupted
        }
        return;
    }
    const timespec until = inMilliseconds(kEveryMs);
    while (sem_clockwait(&m_wake, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {
    }
}

} // namespace ringside::collector
