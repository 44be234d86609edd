// SPDX-License-Identifier: Apache-2.0
// Every call of CUPTI that may block, on a thread of its own: cuptiActivityFlushAll blocks by its own
// account, all of them may wait for locks of the driver, and a hanging job holds those for as long as it
// hangs: just then the drain thread must go on. Another client goes first (neighbour.h). It asks (want) and
// looks (takeReport), and never waits but at the end, for a bounded time.
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

/// How it stands with CUPTI, as the thread last said.
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
    std::vector<Gap> handedOver;           ///< to another client, and taken back, since the last report
    std::optional<std::int64_t> gapNs;     ///< since when another client has it, in our window
    std::int64_t dropped = 0;              ///< records for which CUPTI had no room
    std::vector<DeviceClockSample> clocks; ///< since the last report
};

class CuptiSession final {
public:
    CuptiSession();
    /// On the drain thread: whether CUPTI shall be on. A refusal holds until it was not wanted for once.
    void want(bool on);
    /// Records are asked for every 50 ms, not every second.
    void flushSoon(bool soon) { m_flushSoon = soon; }
    [[nodiscard]] CuptiReport takeReport();
    /// Of the report the clocks alone; the rest stays for takeReport().
    [[nodiscard]] std::vector<DeviceClockSample> takeClocks();
    /// On a thread of the program, whose call of CUPTI is another client's: returns when we have let go, or
    /// after 5 s.
    static void handOver();
    /// Lets go of CUPTI and ends the thread. False when it is still inside a call after so long.
    bool end(int milliseconds);
    [[nodiscard]] const CuptiLibrary& library() const { return m_cupti; }
    /// What CUPTI has filled.
    static BufferPool& buffers();

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
    // Of our thread alone.
    CuptiReport::State m_state = CuptiReport::State::Off;
    void* m_subscriber = nullptr; ///< null: none of ours
    std::optional<std::int64_t> m_gapNs;
    int m_timesAhead = 0;
};

} // namespace ringside::collector
