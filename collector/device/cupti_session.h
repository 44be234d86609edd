// SPDX-License-Identifier: Apache-2.0
// Makes all CUPTI calls that may block, on a separate thread. cuptiActivityFlushAll is documented to
// block, and all of them may wait for locks of the driver, which a hanging job holds as long as it
// hangs. The drain thread must continue just then. It sets what it wants (want), reads the state
// (takeReport), and waits only at the end, for a bounded time. Another client of CUPTI has priority
// (neighbour.h).
#pragma once
#include "device/activity_reader.h"
#include "device/buffer_pool.h"
#include "device/cupti_library.h"

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ringside::collector {

/// The state of CUPTI as the thread last reported it.
struct CuptiReport {
    enum class State { Off, On, Refused, StandsBack, DriverGone };
    struct Gap {
        std::int64_t startNs;
        std::int64_t endNs;
    };
    State state = State::Off;
    bool loaded = false;              ///< library() may be used
    bool systemThreadIds = false;     ///< records call threads by gettid()
    std::string reason;               ///< of a refusal
    std::optional<std::int64_t> onNs; ///< of the last window
    std::optional<std::int64_t> offNs;
    /// Released to another client and taken back since the last report.
    std::vector<Gap> handedOver;
    std::optional<std::int64_t> gapNs;     ///< since when another client uses CUPTI in our window
    std::int64_t dropped = 0;              ///< records for which CUPTI had no room
    std::vector<DeviceClockSample> clocks; ///< since the last report
};

class CuptiSession final {
public:
    CuptiSession();
    /// Called by the drain thread: sets whether CUPTI shall be on. After a refusal there is no new
    /// attempt until want(false) was called once.
    void want(bool on);
    /// Flushes records every 50 ms instead of every second.
    void flushSoon(bool soon) { m_flushSoon = soon; }
    [[nodiscard]] CuptiReport takeReport();
    /// Takes only the clock readings of the report; the rest stays for takeReport().
    [[nodiscard]] std::vector<DeviceClockSample> takeClocks();
    /// Called on a thread of the program before a CUPTI call of another client. Returns when the
    /// collector has released CUPTI, or after 5 s.
    static void handOver();
    /// Releases CUPTI and ends the thread. Returns false if the thread is still inside a call after this
    /// time.
    bool end(int milliseconds);
    [[nodiscard]] const CuptiLibrary& library() const { return m_cupti; }

private:
    static void* load(void* self);
    static void* threadMain(void* self);
    void run();
    void step();
    void waitForWork();
    void turnOn();
    void turnOff();
    [[nodiscard]] std::string hold();
    void makeWay();
    void standBack();
    void endGap();
    void leaveGoneDriver();
    void comeAheadAtExit();
    void refuse(const std::string& reason);
    [[nodiscard]] cupti::Result subscribe(std::string& holder);
    void unsubscribe();
    [[nodiscard]] cupti::Result enableKinds();
    void disableKinds();
    void flush(std::uint32_t flag);
    void awaitLateRecords();
    void noteThreadIds();
    void sampleClock();

    CuptiLibrary m_cupti; ///< loaded before our thread begins
    bool m_loaded = false;
    pthread_t m_thread{};
    bool m_started = false; ///< of the drain thread
    std::atomic<bool> m_wanted{false};
    std::atomic<bool> m_flushSoon{false};
    std::atomic<bool> m_ending{false};
    sem_t m_wake{};
    std::mutex m_mutex; ///< of m_report; never held while CUPTI is called
    CuptiReport m_report;
    // Used only by the session's thread.
    CuptiReport::State m_state = CuptiReport::State::Off;
    void* m_subscriber = nullptr; ///< null: none of ours
    std::optional<std::int64_t> m_gapNs;
    int m_timesAhead = 0;
};

} // namespace ringside::collector
