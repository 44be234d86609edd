// SPDX-License-Identifier: Apache-2.0
// The thread for timing by CUDA events. It creates the events, queries them every 10 ms and writes their
// times into its own ring. A CUDA call may block, because a hanging job may hold the driver's locks;
// then only this thread is blocked.
#pragma once
#include "device/event_reader.h"

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstdint>

namespace ringside::collector {

class EventSession final {
public:
    EventSession();
    /// Null if it runs, else the reason why it cannot.
    const char* start();
    /// Takes effect at the thread's next pass; switching off takes effect at once.
    void want(bool on);
    /// The time (CLOCK_MONOTONIC) from which calls could be timed. 0: not yet.
    [[nodiscard]] std::int64_t onNs() const { return m_onNs.load(); }
    /// Ends the thread after a short wait for events in progress. Returns false if the thread is still
    /// inside a CUDA call after this time.
    bool end(int milliseconds);

private:
    static void* threadMain(void* self);
    void run();
    void step();
    void addDevices();
    [[nodiscard]] bool hasMore() const;
    void waitForWork();

    Ring* m_ring = nullptr;
    EventReader m_reader{g_eventTiming};
    std::uint64_t m_added = 0; ///< bit n: device n
    pthread_t m_thread{};
    sem_t m_wake{};
    std::atomic<bool> m_wanted{false};
    std::atomic<bool> m_ending{false};
    std::atomic<std::int64_t> m_onNs{0};
};

} // namespace ringside::collector
