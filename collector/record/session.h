// SPDX-License-Identifier: Apache-2.0
// The recording of this process. It begins at the first NCCL, CUDA or mark call, so that launchers leave
// no files. It ends at exit or when the collector fails, and does not begin again. The inline functions
// are the hot path: no lock, no allocation, no system call.
#pragma once
#include "record/clock.h"
#include "record/level.h"
#include "record/nccl_thread.h"
#include "record/options.h"
#include "record/registry.h"
#include "record/ring.h"
#include "record/ring_store.h"
#include "record/steps.h"

#include <ringside/trace/rows.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace ringside::trace {
class Writer;
}

namespace ringside::collector {

/// State of one recording thread. Created at its first event, freed when the thread ends.
struct ThreadState {
    Ring* ring = nullptr;
    std::uint32_t threadId = 0;
    bool deviceNoted = false;
    // The open NCCL group of the thread.
    int groupDepth = 0;
    bool groupWanted = true; ///< recording was not paused when it began
    std::uint64_t groupId = 0;
    std::uint64_t groupCalls = 0;
    std::uint64_t groupStartTicks = 0;
    GroupStreams groupStreams;
    NcclThread nccl;
    // The step that the thread marked.
    bool inStep = false;
    bool stepWanted = true; ///< recording was not paused when it began
    std::int64_t stepNumber = 0;
    std::uint64_t stepStartTicks = 0;
    StepCounts steps{};
    // Open NVTX push/pop ranges; deeper ones are only counted.
    struct OpenRange {
        std::uint64_t startTicks;
        const void* domain;
        StringId name;
        std::uint32_t category;
        std::uint8_t nccl; ///< nvtx::NcclFunction: what it stands for, 0: a range like any other
        bool silent; ///< has no row: it lies inside of another function of NCCL's, or another one tells it
        bool wanted; ///< recording was not paused when it began
    };
    std::array<OpenRange, 64> ranges{};
    std::uint32_t rangeDepth = 0;
    std::uint32_t rangesBeyond = 0;

    [[nodiscard]] trace::InFlight& inFlight() const { return ring->header().inFlight[0]; }
};

/// Initial-exec TLS: it is used in every call and must not allocate.
struct ThreadLocal {
    ThreadState* state;
    int depth;          ///< > 0: inside a hook; what NCCL and CUDA call themselves is not recorded again
    bool refused;       ///< there was no room for this thread's ring: not asked for again
    const void* caller; ///< where in the program the last call was made that is recorded, or is the first
};
// constinit here too: without it every access first checks for an initializer function.
extern constinit thread_local ThreadLocal t_thread __attribute__((tls_model("initial-exec")));

/// Begins the recording at the first call, and creates the thread's state at the thread's first call.
[[gnu::cold]] ThreadState* makeRecordingThread();

/// The calling thread's state. Null: nothing is recorded.
inline ThreadState* recordingThread()
{
    ThreadState* const state = t_thread.state;
    return state != nullptr && !g_gate.isOver() ? state : makeRecordingThread();
}

/// Marks the thread as inside the collector's code, so that signal handlers record nothing, and disables
/// thread cancellation.
class Inside final {
public:
    Inside() { ++t_thread.depth; }
    ~Inside() { --t_thread.depth; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
};

/// Publishes the call that the thread is in (the outermost one) for other processes and for recovery.
/// Members that only a collective has are zero for other calls.
inline void enterCall(trace::InFlight& slot, std::uint32_t api, std::uint64_t startTicks)
{
    slot.startTicks = startTicks;
    slot.api.store(api, std::memory_order_release);
}
inline void leaveCall(trace::InFlight& slot)
{
    slot.api.store(0, std::memory_order_release);
}
inline void leaveCollective(trace::InFlight& slot)
{
    slot.communicator = 0;
    slot.sequence = 0;
    slot.count = 0;
}

/// Ids of calls and groups come from one counter, because either may be an external correlation id.
extern std::atomic<std::uint64_t> g_nextCallId;
inline std::uint64_t nextCallId()
{
    return g_nextCallId.fetch_add(1, std::memory_order_relaxed);
}

extern constinit Registry* g_registry __attribute__((visibility("hidden")));
/// Valid once the recording has begun, and never freed.
inline Registry& registry()
{
    return *g_registry;
}
const ProcessNames& processNames();
/// Returns a ring for a thread of the collector (own_thread.h), the only one that writes into it. Never
/// freed. Null, with a message, if there is no room.
Ring* makeOwnRing(std::size_t bytes);
/// The calls that the program's threads are in. Only on the drain thread.
std::vector<trace::InFlightRow> callsInFlight();
/// A private folder of this host that a reader of the run directory finds: the run directory itself, unless
/// that is on a network file system. Empty: there is no place. Only on the drain thread.
std::string folderOnThisHost();

/// A part of the collector that works on the drain thread. Its functions are called on that thread only.
/// They may throw, which stops the recording.
class Participant {
public:
    virtual ~Participant() = default;
    /// Called before the first record is read, for a part that observes the writer's rows.
    virtual void watch(trace::Writer& /*writer*/) {}
    virtual void begin(trace::Writer& writer, const Options& options) = 0;
    virtual void pass(trace::Writer& writer, Registry& registry) = 0;
    /// Called on all parts before the first end(): removes what others see of the running process.
    virtual void withdraw() {}
    virtual void end(trace::Writer& writer, Registry& registry) = 0;
    /// Called instead of end() if the trace cannot be written any more. Releases what the part holds in
    /// the program.
    virtual void abandon() {}
};
/// Returns the parts. The collector defines this function; the weak default returns none. Called once,
/// when recording starts. The parts must live as long as the process. They are not registered by static
/// constructors, because those may run after the first intercepted call.
std::vector<Participant*> makeParticipants();

/// Ends the recording: commits all records and closes the file, within a bounded time. May be called
/// twice. `exitCode` is the program's; if it is not 0 a flight recorder's trace is kept.
void closeSession(int exitCode = 0);
/// Registers an exit handler that closes the session. Handlers run in reverse order, so it runs before
/// those that are registered by now: CUDA's handler stops the driver that delivers the last records.
void closeAheadOfExitHandlers();

} // namespace ringside::collector
