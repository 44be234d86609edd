// SPDX-License-Identifier: Apache-2.0
// The thread that serves timing by CUDA events: it makes the events, asks about them every 10 ms, and writes
// what it learns into a ring of its own. A call into CUDA may block (a hanging job may hold the driver's
// locks): then this thread alone does.
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
    /// Null when it runs, else why it cannot.
    const char* start();
    /// From the next step of the thread on; off at once.
    void want(bool on);
    /// CLOCK_MONOTONIC when it was last on for the first call, 0: not yet.
    [[nodiscard]] std::int64_t onNs() const { return m_onNs.load(); }
    /// Awaits what is under way for a moment. False: the thread does not come back from CUDA in this time.
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
