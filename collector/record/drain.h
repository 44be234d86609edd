// SPDX-License-Identifier: Apache-2.0
// The drain thread. Every 250 ms, or when a ring is half full, it turns the records of the rings into
// committed rows; only then do the rings reuse the space. All signals are blocked in it, and it has its
// own descriptors (own_descriptors.h). If anything fails it stops recording, prints one message and
// ends.
#pragma once
#include "record/control_poll.h"
#include "record/options.h"
#include "record/participant.h"
#include "record/ring_store.h"
#include "record/steady_period.h"
#include "record/trace_file.h"
#include "record/watchdog.h"

#include <ringside/trace/ring_decoder.h>
#include <ringside/trace/writer.h>

#include <pthread.h>
#include <semaphore.h>

#include <vector>

namespace ringside::collector {

class Drain final {
public:
    Drain(Options options, RingStore& store, ControlPoll& control, Registry& registry, Ring& definitions,
          std::vector<Participant*> participants);

    /// Returns false if the thread could not be started.
    bool start();
    /// Requests the last pass and waits for it at most `seconds`. Returns true if the file is closed.
    /// `exitCode` is the program's.
    bool finish(int seconds, int exitCode);
    /// Only on the drain thread.
    [[nodiscard]] std::vector<trace::InFlightRow> callsInFlight() const;

private:
    static void* threadMain(void* self);
    void run();
    void record();
    void pass();
    void emptyRings();
    void decode(Ring& ring);
    void countRefusedThreads();
    void countLeftCalls();
    void noteShortage();
    void lookForSteadyPeriod();
    void dumpIfAsked();
    void writeFailure();
    void giveUp(std::string_view reason);
    void waitForWork();
    void close();

    const ProcessNames& m_names;
    Options m_options;
    RingStore& m_store;
    ControlPoll& m_control;
    Registry& m_registry;
    Ring& m_definitions;
    std::vector<Participant*> m_participants;
    TraceFile m_file;
    std::unique_ptr<trace::RingDecoder> m_decoder;
    Watchdog m_watchdog;
    std::int64_t m_startNs = 0;
    std::uint64_t m_refusedThreads = 0;
    std::uint64_t m_leftCalls = 0; ///< of them the issue tells already
    SteadyPeriod m_steady;
    RingStore::Shortage m_shortage; ///< that stands in the trace
    int m_exitCode = 0;             ///< the program's; read after m_stop
    std::atomic<bool> m_stop{false};
    pthread_t m_thread{};
    bool m_closed = false;
};

} // namespace ringside::collector
