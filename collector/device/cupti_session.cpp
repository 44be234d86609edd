// SPDX-License-Identifier: Apache-2.0
#include "device/cupti_session.h"

#include "device/correlation.h"
#include "device/cupti_buffers.h"
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
void ignoreCallback(void*, std::uint32_t, std::uint32_t, const void*) {}

/// The session that uses CUPTI, or null, and its process: a forked child inherits the variable but not the
/// thread.
std::atomic<CuptiSession*> g_holder{nullptr};
std::atomic<pid_t> g_holdersProcess{0};

// external correlation first, because its record must precede the API record that it belongs to
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
    constexpr int kPatienceMs = 5000; // a hanging driver must not block the caller
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

// not before the first window opens, because most effects of CUPTI on a process begin when it is loaded
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
    const Inside inside; // calls of CUPTI to CUDA are not calls of the program
    static_cast<CuptiSession*>(self)->run();
    return nullptr;
}

void CuptiSession::run()
try {
    step(); // also if recording has ended meanwhile, because CUPTI's records are still useful
    while (!m_ending.load()) {
        waitForWork();
        step();
    }
    if (m_state == State::On && isDriverGone()) {
        leaveGoneDriver();
    } else if (m_state == State::On) {
        turnOff();
    }
} catch (const std::exception&) { // the only possible exception is exhausted memory
    g_deviceTierOn.store(false, std::memory_order_release);
    if (g_holder.load() == this) {
        disableKinds();
        neighbour::leaveBuffers();
        unsubscribe();
        g_holder = nullptr;
    }
    refuse("memory is out"); // short enough to need no allocation
}

void CuptiSession::step()
{
    if (m_state == State::On && isDriverGone()) {
        leaveGoneDriver();
        return;
    }
    // a pause that has just begun is reported a moment later
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
        m_state = State::Off; // a refusal ends with its window
    } else if (m_state == State::On) {
        flush(0);
        comeAheadAtExit();
    }
    if (m_state != State::StandsBack) {
        endGap();
    }
}

/// The time that another client uses CUPTI before or after the window is not a gap in it.
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

/// The gap lasts from the release of CUPTI until it was taken back, or until it was not wanted any more.
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
    constexpr std::int64_t kLookEveryMs = 100; // checks whether the other client has ended
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
    countRecordsWith(m_cupti.nextRecord);
    g_holdersProcess = getpid();
    g_holder = this; // set before the check, so that clients that start later wait for it
    if (neighbour::isActive()) {
        g_holder = nullptr;
        makeWay();
        return;
    }
    if (const std::string reason = hold(); !reason.empty()) {
        g_holder = nullptr;
        // CUPTI then says that there is no driver.
        const bool tooLate = m_ending.load() || isDriverGone();
        refuse(tooLate ? "the process ended before CUPTI was ready" : reason);
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

/// Empty if the collector uses CUPTI and it is on; otherwise the reason.
std::string CuptiSession::hold()
{
    std::string holder;
    if (const cupti::Result result = subscribe(holder); result != cupti::kSuccess) {
        return cuptiFailure(result) + holder;
    }
    if (neighbour::hasCallbacks()) {
        m_cupti.flushAll(0); // records of the other client that CUPTI still holds
    }
    sampleClock(); // another client may have set another clock
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

/// Stops all calls to CUPTI. Records that it has not delivered are lost.
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

/// The driver registers its exit handler when it starts, and perhaps another one at its first use.
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

// The collector subscribes first, so that it never disturbs a tool whose calls are not intercepted: without a
// subscriber, two tools would share the records. A known tool that measures nothing now may keep its
// subscription, because records need no subscriber.
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

// Work that was launched in the window may end after it. CUPTI keeps a buffer until all its records are
// complete; a forced flush returns incomplete records with times of 0.
void CuptiSession::awaitLateRecords()
{
    constexpr int kEveryMs = 20;
    constexpr int kAtMostMs = 2000;
    constexpr int kAwaitedMs = 200; // used when the process ends, or another client waits
    const bool awaited = m_ending.load() || neighbour::isActive();
    for (int waited = 0; waited < (awaited ? kAwaitedMs : kAtMostMs); waited += kEveryMs) {
        flush(0);
        if (cuptiBuffers().handedOut() == 0) {
            return;
        }
        usleep(kEveryMs * 1000);
    }
}

// Another tool may have selected the kind of ids.
void CuptiSession::noteThreadIds()
{
    std::uint32_t type = 0;
    const bool known =
        m_cupti.getThreadIdType != nullptr && m_cupti.getThreadIdType(&type) == cupti::kSuccess;
    const std::scoped_lock lock(m_mutex);
    m_report.systemThreadIds = known && type == cupti::kThreadIdsOfSystem;
}

// the closest of several readings, so that an interrupt between them has no effect
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
            // realtime is read between the two other readings
            best = {static_cast<std::int64_t>(device), middle,
                    realtime - (after + (again - after) / 2 - middle)};
        }
    }
    const std::scoped_lock lock(m_mutex);
    m_report.loaded = true;
    m_report.clocks.push_back(best);
}

} // namespace ringside::collector
