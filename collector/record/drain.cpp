// SPDX-License-Identifier: Apache-2.0
#include "record/drain.h"

#include "record/identity.h"
#include "record/levels.h"
#include "record/message.h"
#include "record/own_descriptors.h"
#include "record/own_thread.h"
#include "record/placement.h"
#include "record/program_calls.h"
#include "record/thread_state.h"

#include <ringside/error.h>
#include <ringside/trace/gone.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>

namespace ringside::collector {
namespace {

// There is one drain thread a process, so producers reach it without a pointer.
sem_t g_wake;
std::atomic<bool> g_wakeRequested{false};

constexpr std::int64_t kSecond = 1'000'000'000;

timespec timeOf(std::int64_t ns)
{
    return {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
}

/// Returns the text after the last colon of "cannot write X: the disk is full".
std::string_view causeOf(std::string_view message)
{
    const std::size_t colon = message.rfind(": ");
    return colon == std::string_view::npos ? message : message.substr(colon + 2);
}

} // namespace

void requestDrain()
{
    if (!g_wakeRequested.load(std::memory_order_relaxed) && !g_wakeRequested.exchange(true)) {
        const ErrnoKeeper keeper;
        sem_post(&g_wake);
    }
}

Drain::Drain(Options options, RingStore& store, ControlPoll& control, Registry& registry, Ring& definitions,
             std::vector<Participant*> participants)
    : m_names(store.names())
    , m_options(std::move(options))
    , m_store(store)
    , m_control(control)
    , m_registry(registry)
    , m_definitions(definitions)
    , m_participants(std::move(participants))
    , m_file(m_names, m_options, m_store)
    , m_watchdog(m_names, m_options.hangTimeoutNs)
{
    sem_init(&g_wake, 0, 0);
}

bool Drain::start()
{
    m_startNs = readClockNs(CLOCK_MONOTONIC);
    if (startProgramCalls() && startOwnThread(m_thread, &Drain::threadMain, this)) {
        return true;
    }
    endProgramCalls(timeOf(m_startNs + kSecond));
    return false;
}

void* Drain::threadMain(void* self)
{
    pthread_setname_np(pthread_self(), "ringside");
    const Inside inside; // what the drain thread asks of CUDA and NCCL is not the program's doing
    static_cast<Drain*>(self)->run();
    return nullptr;
}

void Drain::run()
{
    try {
        record();
        m_closed = true;
    } catch (const std::bad_alloc&) {
        giveUp("memory is out");
        say(Talk::Always, "recording stopped: memory is out; the job goes on");
    } catch (const std::exception& error) {
        giveUp(causeOf(error.what()));
        say(Talk::Always, "recording stopped: %s; the job goes on", error.what());
    } catch (...) {
        giveUp({});
        say(Talk::Always, "recording stopped by an unknown failure; the job goes on");
    }
    g_gate.end();
}

// Nothing can be written into the trace any more, but the rings' pages exist. Recovery reads from them
// why the trace ends.
void Drain::giveUp(std::string_view reason)
{
    g_gate.end();
    trace::RingHeader& header = m_definitions.header();
    reason.copy(header.stopReason, sizeof header.stopReason - 1); // zeros follow: it was never written
    header.stoppedNs.store(readClockNs(CLOCK_MONOTONIC));
    for (Participant* participant : m_participants) {
        participant->abandon();
    }
}

void Drain::record()
{
    if (!takeOwnDescriptors()) {
        throw Error(ErrorCode::Io,
                    std::string("the thread that writes the trace cannot have descriptors of its own: ") +
                        std::strerror(errno));
    }
    m_file.open();
    for (Participant* participant : m_participants) {
        participant->watch(m_file.writer());
    }
    m_decoder = std::make_unique<trace::RingDecoder>(m_file.writer());
    writeIdentity(m_file.writer(), m_names, m_startNs);
    writePlacement(m_file.writer(), m_options.sysfsRoot);
    say(Talk::IfAsked, "recording to %s", m_file.path().c_str());
    m_control.begin();
    // The rings have been filling since the first call. So they are drained first, and again after each
    // part that may take long.
    emptyRings();
    for (Participant* participant : m_participants) {
        participant->begin(m_file.writer(), m_options);
        emptyRings();
    }
    while (!m_stop.load()) {
        pass();
        waitForWork();
    }
    close();
}

void Drain::waitForWork()
{
    constexpr std::int64_t kPassNs = 250'000'000;
    const std::int64_t nextPass = readClockNs(CLOCK_MONOTONIC) + kPassNs;
    const timespec until = timeOf(std::min(nextPass, nextLevelChangeNs().value_or(nextPass)));
    while (sem_clockwait(&g_wake, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {
    }
    g_wakeRequested.store(false);
}

void Drain::pass()
{
    letGoOfFormerStderr();
    m_control.pass();
    lookForSteadyPeriod();
    applyLevel();
    emptyRings();
    for (Participant* participant : m_participants) {
        participant->pass(m_file.writer(), m_registry);
    }
    countRefusedThreads();
    countLeftCalls();
    noteShortage();
    m_file.keep(m_watchdog.quietSinceNs());
    m_file.writer().commit();
    m_watchdog.pass(m_file.writer(), *m_decoder, m_store.rings(), m_registry);
    dumpIfAsked();
}

// If there are communicators, only collectives count: kernels come evenly also while a model is loaded.
void Drain::lookForSteadyPeriod()
{
    std::uint64_t records = 0;
    for (const Ring* ring : m_store.rings()) {
        records += ring->header().threadId != 0 ? ring->header().head.load(std::memory_order_relaxed) : 0;
    }
    m_steady.look(readClockNs(CLOCK_MONOTONIC), m_registry.collectivesIssued().value_or(records));
    noteSteadySince(m_steady.sinceNs());
}

void Drain::dumpIfAsked()
{
    const char* reason = m_file.takeDumpRequest();
    if (reason == nullptr) {
        return;
    }
    m_control.tellDump(m_file.dump(reason, callsInFlight()));
}

std::vector<trace::InFlightRow> Drain::callsInFlight() const
{
    std::vector<trace::InFlightRow> inFlight;
    for (const Ring* ring : m_store.rings()) {
        const auto calls = m_decoder->inFlightOf(ring->mapping());
        inFlight.insert(inFlight.end(), calls.begin(), calls.end());
    }
    return inFlight;
}

void Drain::emptyRings()
{
    m_file.keepReserve();
    m_registry.recordClock(sampleClocks());
    const std::vector<Ring*> rings = m_store.rings();
    std::vector<Ring*>
        left; // by their threads, before they are read: what they and their counts hold is final
    decode(m_definitions);
    for (Ring* ring : rings) {
        if (ring != &m_definitions) {
            if (ring->use.load(std::memory_order_acquire) == Ring::Use::OwnerGone) {
                left.push_back(ring);
            }
            decode(*ring);
        }
    }
    m_file.writer().commit();
    for (Ring* ring : rings) {
        ring->header().tail.store(ring->decodedTo, std::memory_order_release);
    }
    for (Ring* ring : left) {
        if (ring->header().head.load(std::memory_order_acquire) == ring->decodedTo) {
            ring->use.store(Ring::Use::Free, std::memory_order_release);
        }
    }
}

void Drain::decode(Ring& ring)
{
    const std::uint64_t end = m_decoder->decode(ring.mapping(), ring.decodedTo);
    const trace::RingHeader& header = ring.header();
    if (end != ring.decodedTo) {
        ring.decodedTo = end;
        m_file.writer().setRingProgress(header.ringId, end);
    }
    if (const std::uint64_t dropped = header.dropped.load(std::memory_order_relaxed); dropped != 0) {
        m_file.writer().setDropped({header.role == trace::RingRole::Thread ? "ring records" : "definitions",
                                    static_cast<std::int64_t>(header.ringId),
                                    static_cast<std::int64_t>(dropped),
                                    static_cast<std::int64_t>(header.threadId)});
    }
}

void Drain::noteShortage()
{
    RingStore::Shortage shortage = m_store.shortage();
    if (shortage == m_shortage) {
        return;
    }
    if (shortage.smallestBytes != m_shortage.smallestBytes) {
        m_file.writer().add(
            trace::IssueRow{trace::Issue::RingsSmall, 1,
                            "/dev/shm or the control group's memory is small: rings have as little as " +
                                std::to_string(shortage.smallestBytes >> 10U) + " KiB instead of " +
                                std::to_string(m_options.ringBytes >> 10U) +
                                ", so that records of a burst of calls may be dropped. In docker: --shm-size "
                                "1g, or more --memory"});
    }
    if (shortage.disk != m_shortage.disk) {
        m_file.writer().add(trace::IssueRow{trace::Issue::RingsOnDisk, 1,
                                            "no room in /dev/shm (a quarter of what is free): rings lie in " +
                                                shortage.disk +
                                                ", whose writing back may hold up the program's threads"});
    }
    m_shortage = std::move(shortage);
}

void Drain::countLeftCalls()
{
    if (const std::uint64_t left = g_leftCalls.load(std::memory_order_relaxed); left != m_leftCalls) {
        m_file.writer().add(
            trace::IssueRow{trace::Issue::CallsLeft, static_cast<std::int64_t>(left - m_leftCalls),
                            "the program jumped out of calls (siglongjmp), so they have no end "
                            "and no record"});
        m_leftCalls = left;
    }
}

void Drain::countRefusedThreads()
{
    const std::uint64_t refused = m_store.refusedThreads();
    if (refused != m_refusedThreads) {
        m_file.writer().add(trace::IssueRow{trace::Issue::ThreadNotRecorded,
                                            static_cast<std::int64_t>(refused - m_refusedThreads),
                                            "there was no room for a thread's ring: its calls are missing"});
        m_refusedThreads = refused;
    }
}

void Drain::close()
{
    pass();
    for (Participant* participant : m_participants) {
        participant->withdraw();
    }
    for (Participant* participant : m_participants) {
        participant->end(m_file.writer(), m_registry);
    }
    // Other threads ran until now, and may still be inside a call that never returns.
    emptyRings();
    for (const Ring* ring : m_store.rings()) {
        if (ring->use.load(std::memory_order_acquire) == Ring::Use::Owned) {
            m_decoder->decodeInFlight(ring->mapping());
        }
    }
    trace::ProcessRow process = describeProcess(m_names, m_startNs);
    process.endNs = readClockNs(CLOCK_MONOTONIC);
    m_file.writer().endWindow(*process.endNs);
    m_file.writer().setProcess(process);
    writeFailure();
    m_file.close(m_exitCode);
    m_watchdog.withdrawRequest();
    m_store.removeFiles();
    m_control.end();
    say(Talk::IfAsked, "closed %s", m_names.database().c_str());
}

// The closed trace of a process that ended with 0 needs no further entry.
void Drain::writeFailure()
{
    if (m_exitCode != 0) {
        for (const trace::SettingRow& row : trace::ownEndSettings(trace::ownExit(m_exitCode))) {
            m_file.writer().add(row);
        }
    }
}

bool Drain::finish(int seconds, int exitCode)
{
    m_exitCode = exitCode;
    m_stop.store(true);
    sem_post(&g_wake);
    const timespec until = timeOf(readClockNs(CLOCK_MONOTONIC) + seconds * kSecond);
    // Waits until the thread has ended, not only until its work is done: a leak checker would report
    // what the thread still holds.
    if (!joinOwnThread(m_thread, until)) {
        return false;
    }
    endProgramCalls(timeOf(readClockNs(CLOCK_MONOTONIC) + kSecond));
    return m_closed;
}

} // namespace ringside::collector
