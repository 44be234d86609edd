// SPDX-License-Identifier: Apache-2.0
#include "device/cupti_session.h"

#include "device/correlation.h"
#include "device/driver_state.h"
#include "device/neighbour.h"
#include "device/questions.h"
#include "record/cancellation.h"
#include "record/clock.h"
#include "record/levels.h"
#include "record/message.h"
#include "record/own_thread.h"
#include "record/program_calls.h"
#include "record/session.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <limits>
#include <utility>

namespace ringside::collector {

std::atomic<bool> g_deviceTierOn{false};
std::atomic<std::uint64_t> g_untiedCalls{0};

namespace {

using State = CuptiReport::State;

std::atomic<decltype(CuptiLibrary::pushExternal)> g_push{nullptr};
std::atomic<decltype(CuptiLibrary::popExternal)> g_pop{nullptr};
// For counting the records of a buffer that is given up. Null: no CUPTI is loaded.
std::atomic<decltype(CuptiLibrary::nextRecord)> g_nextRecord{nullptr};

std::size_t countRecords(std::uint8_t* buffer, std::size_t validBytes)
{
    const auto next = g_nextRecord.load(std::memory_order_relaxed);
    std::size_t records = 0;
    for (cupti::Activity* record = nullptr;
         next != nullptr && next(buffer, validBytes, &record) == cupti::kSuccess && record != nullptr;) {
        ++records;
    }
    return records;
}

void ignoreCallback(void*, std::uint32_t, std::uint32_t, const void*) {}

/// It holds CUPTI; null: nobody does. And in which process: a forked child inherits the word, not the thread.
std::atomic<CuptiSession*> g_holder{nullptr};
std::atomic<pid_t> g_holdersProcess{0};

// External correlation first: its record must precede the API record it belongs to.
constexpr std::array kKinds{cupti::kKindExternalCorrelation,
                            cupti::kKindRuntime,
                            cupti::kKindDriver,
                            cupti::kKindConcurrentKernel,
                            cupti::kKindMemcpy,
                            cupti::kKindPeerMemcpy,
                            cupti::kKindMemset};

} // namespace

void pushCorrelation(std::uint64_t id)
{
    g_push.load(std::memory_order_relaxed)(cupti::kExternalKindCustom2, id);
}

void popCorrelation()
{
    std::uint64_t last = 0;
    g_pop.load(std::memory_order_relaxed)(cupti::kExternalKindCustom2, &last);
}

// Never freed: CUPTI may call late.
BufferPool& CuptiSession::buffers()
{
    static auto* const pool = new BufferPool(&countRecords);
    return *pool;
}

CuptiSession::CuptiSession()
{
    sem_init(&m_wake, 0, 0);
}

void CuptiSession::handOver()
{
    CuptiSession* const holder = g_holder.load();
    if (holder == nullptr || g_holdersProcess.load() != getpid()) {
        return;
    }
    const ErrnoKeeper keeper;
    const CancellationHeldOff uncancelled;
    sem_post(&holder->m_wake);
    constexpr int kPatienceMs = 5000; // a hanging driver must not hold up whoever calls
    for (int waited = 0; g_holder.load() != nullptr && waited < kPatienceMs; ++waited) {
        usleep(1000);
    }
}

void CuptiSession::want(bool on)
{
    if (m_wanted.exchange(on) == on) {
        return;
    }
    if (!m_started) {
        m_started = startProgramCallsThread(m_thread, &CuptiSession::threadMain, this, &CuptiSession::load);
        if (!m_started) {
            refuse("no thread could be made to serve CUPTI");
            return;
        }
    }
    sem_post(&m_wake);
}

CuptiReport CuptiSession::takeReport()
{
    const std::scoped_lock lock(m_mutex);
    CuptiReport report = m_report;
    m_report.clocks.clear();
    m_report.handedOver.clear();
    return report;
}

std::vector<DeviceClockSample> CuptiSession::takeClocks()
{
    const std::scoped_lock lock(m_mutex);
    return std::exchange(m_report.clocks, {});
}

bool CuptiSession::end(int milliseconds)
{
    m_ending = true;
    sem_post(&m_wake);
    const timespec until = inMilliseconds(milliseconds);
    return !m_started || joinOwnThread(m_thread, until);
}

// Not before the first window opens: most of what CUPTI does to a process begins with loading it.
void* CuptiSession::load(void* self)
{
    const Inside inside;
    auto& session = *static_cast<CuptiSession*>(self);
    session.m_loaded = session.m_cupti.load();
    return nullptr;
}

void* CuptiSession::threadMain(void* self)
{
    pthread_setname_np(pthread_self(), "ringside-device");
    const Inside inside; // what CUPTI asks of CUDA is not the program's doing
    static_cast<CuptiSession*>(self)->run();
    return nullptr;
}

void CuptiSession::run()
try {
    step(); // also when recording ended meanwhile: what CUPTI says is worth knowing
    while (!m_ending.load()) {
        waitForWork();
        step();
    }
    if (m_state == State::On && isDriverGone()) {
        leaveGoneDriver();
    } else if (m_state == State::On) {
        turnOff();
    }
} catch (const std::exception&) { // the only one there is: memory is out
    g_deviceTierOn.store(false, std::memory_order_release);
    if (g_holder.load() == this) {
        disableKinds();
        neighbour::leaveBuffers();
        unsubscribe();
        g_holder = nullptr;
    }
    refuse("memory is out"); // so short that a string needs none
}

void CuptiSession::step()
{
    if (m_state == State::On && isDriverGone()) {
        leaveGoneDriver();
        return;
    }
    // A pause that has just begun is told to us a moment later.
    const bool wanted = m_wanted.load() && level() >= Level::Light;
    if (wanted && neighbour::isActive()) {
        makeWay();
        return;
    }
    if (m_state == State::StandsBack) {
        m_state = State::Off;
    }
    if (wanted && m_state == State::Off) {
        turnOn();
    } else if (!wanted && m_state == State::On) {
        turnOff();
    } else if (!wanted) {
        m_state = State::Off; // a refusal is over with its window
    } else if (m_state == State::On) {
        flush(0);
        comeAheadAtExit();
    }
    if (m_state != State::StandsBack) {
        endGap();
    }
}

/// What another client takes before our window, or after it, is no gap in it.
void CuptiSession::makeWay()
{
    if (level() >= Level::Standard) {
        standBack();
    } else if (m_state == State::On) {
        turnOff();
    }
}

void CuptiSession::standBack()
{
    if (m_state == State::StandsBack) {
        return;
    }
    m_gapNs = readClockNs(CLOCK_MONOTONIC);
    if (m_state == State::On) {
        turnOff();
    }
    noteDeviceTaken(true);
    m_state = State::StandsBack;
    {
        const std::scoped_lock lock(m_mutex);
        m_report.state = State::StandsBack;
        m_report.gapNs = m_gapNs;
    }
    requestDrain();
}

/// What was missed, from when we let go until we were back, or until nothing was wanted any more.
void CuptiSession::endGap()
{
    if (!m_gapNs) {
        return;
    }
    noteDeviceTaken(false);
    {
        const std::scoped_lock lock(m_mutex);
        m_report.handedOver.push_back({*m_gapNs, readClockNs(CLOCK_MONOTONIC)});
        m_report.gapNs.reset();
        m_report.state = m_state;
    }
    m_gapNs.reset();
    requestDrain();
}

void CuptiSession::waitForWork()
{
    if (m_state != State::On && m_state != State::StandsBack) {
        while (sem_wait(&m_wake) != 0) { // interrupted
        }
        return;
    }
    constexpr std::int64_t kFlushEveryMs = 1000;
    constexpr std::int64_t kLookEveryMs = 100; // whether the other client has ended
    constexpr std::int64_t kFlushSoonMs = 50;
    const std::int64_t flushMs = m_flushSoon.load() ? kFlushSoonMs : kFlushEveryMs;
    const timespec until = inMilliseconds(m_state == State::On ? flushMs : kLookEveryMs);
    while (sem_clockwait(&m_wake, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {
    }
}

void CuptiSession::turnOn()
{
    if (!m_loaded) {
        refuse(m_cupti.reason().empty() ? "memory is out" : m_cupti.reason());
        return;
    }
    g_nextRecord = m_cupti.nextRecord;
    g_holdersProcess = getpid();
    g_holder = this; // before the look: who begins after it waits for us
    if (neighbour::isActive()) {
        g_holder = nullptr;
        makeWay();
        return;
    }
    if (const std::string reason = hold(); !reason.empty()) {
        g_holder = nullptr;
        refuse(reason);
        return;
    }
    g_push = m_cupti.pushExternal;
    g_pop = m_cupti.popExternal;
    comeAheadAtExit();
    g_deviceTierOn.store(true, std::memory_order_release);
    m_state = State::On;
    {
        const std::scoped_lock lock(m_mutex);
        m_report.state = State::On;
        m_report.onNs = readClockNs(CLOCK_MONOTONIC);
        m_report.offNs.reset();
    }
    requestDrain();
}

/// Empty: it is ours, and on; else why not.
std::string CuptiSession::hold()
{
    std::string holder;
    if (const cupti::Result result = subscribe(holder); result != cupti::kSuccess) {
        return cuptiFailure(result) + holder;
    }
    if (neighbour::hasCallbacks()) {
        m_cupti.flushAll(0); // what CUPTI still has of the other client's
    }
    sampleClock(); // another client may have given CUPTI another clock
    neighbour::takeBuffers(m_cupti.nextRecord);
    if (const cupti::Result result = enableKinds(); result != cupti::kSuccess) {
        disableKinds();
        neighbour::leaveBuffers();
        unsubscribe();
        return cuptiFailure(result);
    }
    leaveOutQuestions(m_cupti);
    noteThreadIds();
    return {};
}

void CuptiSession::turnOff()
{
    g_deviceTierOn.store(false, std::memory_order_release);
    disableKinds();
    const std::int64_t now = readClockNs(CLOCK_MONOTONIC);
    awaitLateRecords();
    flush(cupti::kFlushForced);
    neighbour::leaveBuffers();
    unsubscribe();
    m_state = State::Off;
    g_holder = nullptr;
    {
        const std::scoped_lock lock(m_mutex);
        m_report.state = State::Off;
        m_report.offNs = now;
    }
    requestDrain();
}

/// Nothing is asked of CUPTI any more. What it had not handed over is lost.
void CuptiSession::leaveGoneDriver()
{
    g_deviceTierOn.store(false, std::memory_order_release);
    neighbour::leaveBuffers();
    m_state = State::DriverGone;
    g_holder = nullptr;
    {
        const std::scoped_lock lock(m_mutex);
        m_report.state = State::DriverGone;
        m_report.offNs = readClockNs(CLOCK_MONOTONIC);
    }
    requestDrain();
}

/// The driver sets its exit handler when it starts, perhaps another one when it is first used.
void CuptiSession::comeAheadAtExit()
{
    constexpr int kEnough = 3;
    if (m_timesAhead < kEnough) {
        ++m_timesAhead;
        closeAheadOfExitHandlers();
    }
}

void CuptiSession::refuse(const std::string& reason)
{
    m_state = State::Refused;
    {
        const std::scoped_lock lock(m_mutex);
        m_report.state = State::Refused;
        m_report.reason = reason;
    }
    requestDrain();
}

// It subscribes first and so never disturbs a tool whose calls do not pass us: without a subscriber, two
// share the records. One that is known, and measures nothing now, may stay subscribed: the records need no
// subscriber.
cupti::Result CuptiSession::subscribe(std::string& holder)
{
    if (neighbour::isSubscribed()) {
        return cupti::kSuccess;
    }
    if (m_cupti.subscribeNamed == nullptr) { // before CUDA 13.0
        return m_cupti.subscribe(&m_subscriber, &ignoreCallback, nullptr);
    }
    std::array<char, cupti::kHolderNameBytes> name{};
    cupti::SubscriberParameters parameters{sizeof parameters, "Ringside", name.data(), name.size()};
    const cupti::Result result = m_cupti.subscribeNamed(&m_subscriber, &ignoreCallback, nullptr, &parameters);
    holder = name[0] != '\0' ? std::string(": ") + name.data() : std::string();
    return result;
}

void CuptiSession::unsubscribe()
{
    if (m_subscriber != nullptr) {
        m_cupti.unsubscribe(m_subscriber);
        m_subscriber = nullptr;
    }
}

cupti::Result CuptiSession::enableKinds()
{
    const neighbour::BufferCallbacks callbacks = neighbour::sharedCallbacks();
    cupti::Result result = m_cupti.registerCallbacks(callbacks.requested, callbacks.completed);
    for (const cupti::Kind kind : kKinds) {
        result = result == cupti::kSuccess ? m_cupti.enable(kind) : result;
    }
    return result;
}

void CuptiSession::disableKinds()
{
    for (const cupti::Kind kind : kKinds) {
        m_cupti.disable(kind);
    }
}

void CuptiSession::flush(std::uint32_t flag)
{
    sampleClock();
    m_cupti.flushAll(flag);
    std::size_t dropped = 0;
    if (m_cupti.droppedRecords(nullptr, 0, &dropped) == cupti::kSuccess) {
        const std::scoped_lock lock(m_mutex);
        m_report.dropped += static_cast<std::int64_t>(dropped);
    }
}

// What was launched in the window may end after it. CUPTI keeps a buffer until all its records are complete;
// a forced flush hands it over as it is, with times of 0.
void CuptiSession::awaitLateRecords()
{
    constexpr int kEveryMs = 20;
    constexpr int kAtMostMs = 2000;
    constexpr int kAwaitedMs = 200; // where the end of the process waits, or another client
    const bool awaited = m_ending.load() || neighbour::isActive();
    for (int waited = 0; waited < (awaited ? kAwaitedMs : kAtMostMs); waited += kEveryMs) {
        flush(0);
        if (buffers().handedOut() == 0) {
            return;
        }
        usleep(kEveryMs * 1000);
    }
}

// Another tool may have chosen.
void CuptiSession::noteThreadIds()
{
    std::uint32_t type = 0;
    const bool known =
        m_cupti.getThreadIdType != nullptr && m_cupti.getThreadIdType(&type) == cupti::kSuccess;
    const std::scoped_lock lock(m_mutex);
    m_report.systemThreadIds = known && type == cupti::kThreadIdsOfSystem;
}

// The tightest of a few readings, so that an interrupt between two of them does not count.
void CuptiSession::sampleClock()
{
    DeviceClockSample best;
    std::int64_t bestWidth = std::numeric_limits<std::int64_t>::max();
    constexpr int kAttempts = 8;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        std::uint64_t device = 0;
        const std::int64_t before = readClockNs(CLOCK_MONOTONIC);
        const cupti::Result result = m_cupti.timestamp(&device);
        const std::int64_t after = readClockNs(CLOCK_MONOTONIC);
        const std::int64_t realtime = readClockNs(CLOCK_REALTIME);
        const std::int64_t again = readClockNs(CLOCK_MONOTONIC);
        if (result != cupti::kSuccess) {
            return;
        }
        if (again - before < bestWidth) {
            bestWidth = again - before;
            const std::int64_t middle = before + (after - before) / 2;
            // The reading of realtime lies in the middle of the two around it.
            best = {static_cast<std::int64_t>(device), middle,
                    realtime - (after + (again - after) / 2 - middle)};
        }
    }
    const std::scoped_lock lock(m_mutex);
    m_report.loaded = true;
    m_report.clocks.push_back(best);
}

} // namespace ringside::collector
