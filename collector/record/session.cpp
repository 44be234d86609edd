// SPDX-License-Identifier: Apache-2.0
#include "record/session.h"

#include "host/disk_room.h"
#include "record/cancellation.h"
#include "record/drain.h"
#include "record/glibc.h"
#include "record/identity.h"
#include "record/levels.h"
#include "record/message.h"
#include "record/own_descriptors.h"
#include "record/own_end.h"

#include <ringside/trace/private_file.h>

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace ringside::collector {

std::atomic<std::uint64_t> g_nextCallId{1};
constinit Registry* g_registry = nullptr;

namespace {

// Everything that a recording needs. Created once and never freed: threads and exit handlers may still
// use it.
struct Session {
    Session(const ProcessNames& names, const Options& sessionOptions)
        : options(sessionOptions), control(names), store(names)
    {}
    Options options;
    ControlPoll control;
    RingStore store;
    Drain* drain = nullptr;
    pthread_key_t threadEnd{};
    std::atomic<std::uint32_t> nextThread{1};
};

pthread_mutex_t g_startMutex = PTHREAD_MUTEX_INITIALIZER;
Session* g_session = nullptr;

void endThread(void* state)
{
    auto* thread = static_cast<ThreadState*>(state);
    t_thread.state = nullptr;
    leaveCall(thread->inFlight()); // a thread that is cancelled inside a call does not come back to do it
    leaveCollective(thread->inFlight());
    thread->ring->owner = nullptr;
    thread->ring->use.store(Ring::Use::OwnerGone, std::memory_order_release);
    delete thread;
    if (!g_gate.isOver()) { // in a forked child it is, and the lock may have been held
        g_registry->threadIds.end(ThreadIds::ofThisThread(), readClockNs(CLOCK_MONOTONIC));
    }
    requestDrain(); // so that threads that come and go share few rings
}

// If the program forks while another thread starts the recording, the child would inherit a locked mutex
// and an incomplete session.
void holdStart()
{
    pthread_mutex_lock(&g_startMutex);
}
void releaseStart()
{
    pthread_mutex_unlock(&g_startMutex);
}

// A forked child of a recording process records nothing: the parent's rings, files and drain thread are
// not its own. A child of a process that does not record yet may start its own recording.
void disableInChild()
{
    releaseStart();
    if (g_session != nullptr) {
        g_gate.end();
        t_thread.state = nullptr;
    }
}

// What is recorded is this user's own. A folder of somebody else is not where it belongs, even if anybody may
// write there. One of the administrator's is a mount or a scratch folder.
bool makeDirectory(const std::string& path)
{
    constexpr mode_t kPrivate = 0700;
    if (mkdir(path.c_str(), kPrivate) == 0) {
        return true;
    }
    struct stat found {};
    if (errno != EEXIST || stat(path.c_str(), &found) != 0) {
        return false;
    }
    const bool isOurs = found.st_uid == geteuid() || found.st_uid == 0;
    errno = isOurs ? EEXIST : EPERM;
    return isOurs;
}

// Tested by creating a file: mode bits do not decide for every user and file system.
bool canMakeFiles(const ProcessNames& names)
{
    const std::string probe = names.database() + ".tmp";
    if (trace::makePrivateFile(probe)) {
        unlink(probe.c_str());
        return true;
    }
    return false;
}

// Returns null, with a message, if this process cannot be recorded.
Session* makeSession()
{
    const Options options = readOptions();
    if (options.directory.empty() || options.plan.profile == Profile::Off) {
        say(Talk::IfAsked, "not recording: %s",
            options.directory.empty() ? "RINGSIDE_DIR is not set" : "RINGSIDE_PROFILE=off");
        return nullptr;
    }
    if (!makeDirectory(options.directory)) {
        say(Talk::Always, "not recording: cannot make %s: %s", options.directory.c_str(),
            errno == EPERM ? "it is another user's; name a folder of your own" : std::strerror(errno));
        return nullptr;
    }
    chooseClock();
    const ProcessNames names = nameProcess(options.directory);
    if (!canMakeFiles(names)) {
        say(Talk::Always, "not recording: cannot make files in %s: %s", options.directory.c_str(),
            std::strerror(errno));
        return nullptr;
    }
    if (const auto room = host::diskRoom(options.directory);
        room && !room->isEnoughToBegin() && !isNetworkDirectory(options.directory)) {
        say(Talk::Always, "not recording: the disk of %s has no room for a trace (%llu KiB are free)",
            options.directory.c_str(), static_cast<unsigned long long>(room->free >> 10U));
        return nullptr;
    }
    auto* session = new Session(names, options);
    constexpr std::size_t kDefinitionBytes = std::size_t{1} << 20;
    Ring* definitions = session->store.create(trace::RingRole::Definitions, kDefinitionBytes);
    if (definitions == nullptr) {
        session->store.removeFiles();
        return nullptr; // said by the store
    }
    if (const int error = pthread_key_create(&session->threadEnd, &endThread); error != 0) {
        session->store.removeFiles();
        say(Talk::Always, "not recording: no thread-specific key (%s)", std::strerror(error));
        return nullptr;
    }
    recordEndsIn(definitions->header());
    g_registry = new Registry(*definitions);
    g_registry->recordClock(sampleClocks());
    startLevels(options.plan, readClockNs(CLOCK_MONOTONIC), *g_registry);
    session->drain =
        new Drain(options, session->store, session->control, *g_registry, *definitions, makeParticipants());
    return session;
}

// Also done if recording had ended before: the exit code shows that this process was not killed.
void closeAtExit(int exitCode, void*)
{
    recordExit(exitCode);
    closeSession(exitCode);
}

} // namespace

void closeAheadOfExitHandlers()
{
    on_exit(&closeAtExit, nullptr); // atexit's handlers are not told the code
}

namespace {

void startSession()
{
    if (!runsOnGlibc()) {
        say(Talk::Always, "not recording: this program's C library is not glibc");
        g_gate.end();
        return;
    }
    try {
        if (!runWithOwnDescriptors([] { g_session = makeSession(); })) {
            say(Talk::Always,
                "not recording: no thread can have descriptors of its own (%s), and into the program's we do "
                "not write. It takes Linux 5.9 and a sandbox that allows close_range, or one that allows "
                "unshare",
                std::strerror(errno));
        }
        if (g_session != nullptr && g_session->drain->start()) {
            g_gate.begin();
            closeAheadOfExitHandlers();
            return;
        }
        if (g_session != nullptr) {
            g_session->store.removeFiles();
            say(Talk::Always, "not recording: no thread could be made to write the trace");
        }
    } catch (...) {
        say(Talk::Always, "not recording: out of memory");
    }
    g_gate.end();
}

void startOnce()
{
    pthread_mutex_lock(&g_startMutex);
    if (!g_gate.isRecording() && !g_gate.isOver()) {
        startSession();
    }
    pthread_mutex_unlock(&g_startMutex);
}

ThreadState* makeThreadState()
{
    Session& session = *g_session;
    const std::uint32_t id = session.nextThread.fetch_add(1);
    Ring* ring = session.store.acquire(id, session.options.ringBytes);
    if (ring == nullptr) {
        t_thread.refused = true;
        return nullptr;
    }
    auto* state = new ThreadState;
    state->ring = ring;
    ring->owner = state;
    state->threadId = id;
    char name[16] = {};
    prctl(PR_GET_NAME, name);
    const auto tid = static_cast<std::uint32_t>(gettid());
    g_registry->addThread(id, tid, name);
    g_registry->threadIds.begin(ThreadIds::ofThisThread(), tid, readClockNs(CLOCK_MONOTONIC));
    pthread_setspecific(session.threadEnd, state);
    t_thread.state = state;
    return state;
}

__attribute__((constructor)) void installForkHandler()
{
    atFork(&holdStart, &releaseStart, &disableInChild);
}

__attribute__((destructor)) void closeAtUnload()
{
    closeSession(); // also where there is none: a first call from here on would begin what nobody closes
}

} // namespace

ThreadState* makeRecordingThread()
{
    if (g_gate.isOver() || t_thread.refused) {
        return nullptr;
    }
    const ErrnoKeeper keeper;
    const CancellationHeldOff uncancelled;
    const Inside inside;
    if (!g_gate.isRecording()) {
        startOnce();
    }
    if (!g_gate.isRecording()) {
        return nullptr;
    }
    try {
        return t_thread.state != nullptr ? t_thread.state : makeThreadState();
    } catch (...) {
        return nullptr;
    }
}

const ProcessNames& processNames()
{
    return g_session->store.names();
}

Ring* makeOwnRing(std::size_t bytes)
{
    return g_session->store.create(trace::RingRole::Thread, bytes);
}

std::vector<trace::InFlightRow> callsInFlight()
{
    return g_session->drain->callsInFlight();
}

std::string folderOnThisHost()
{
    RingStore& store = g_session->store;
    return store.isRunRemote() ? store.directoryOnThisHost() : store.names().runDirectory;
}

__attribute__((weak)) std::vector<Participant*> makeParticipants()
{
    return {};
}

void closeSession(int exitCode)
{
    if (!g_gate.end()) {
        return;
    }
    const ErrnoKeeper keeper;
    const CancellationHeldOff uncancelled;
    const Inside inside;
    constexpr int kSeconds = 10;
    if (!g_session->drain->finish(kSeconds, exitCode)) {
        say(Talk::Always, "the trace of this process is not complete: ringside recover %s",
            g_session->options.directory.c_str());
    }
}

// Stacks grow down. A target on another stack (a fiber, the alternate one) lies far from the hook, or below
// it.
void leftByJump(std::uintptr_t to)
{
    constexpr std::uintptr_t kLargestStack = std::uintptr_t{1} << 30;
    const auto frame = reinterpret_cast<std::uintptr_t>(t_thread.frame);
    if (t_thread.depth == 0 || to <= frame || to - frame > kLargestStack) {
        return;
    }
    t_thread.depth = 0;
    ThreadState* const thread = t_thread.state;
    if (thread == nullptr) {
        return;
    }
    leaveCall(thread->inFlight());
    leaveCollective(thread->inFlight());
    thread->nccl.inside = false;
    thread->nccl.callId = 0;
    thread->nccl.inPlugin = false;
    thread->nccl.reported = {};
    g_leftCalls.fetch_add(1, std::memory_order_relaxed);
}

} // namespace ringside::collector
