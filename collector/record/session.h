// SPDX-License-Identifier: Apache-2.0
// Recording in this process: begins at the first NCCL, CUDA or mark call (so that launchers leave nothing),
// ends at exit or when our part fails, and never begins again. The inline part is the hot path: no lock, no
// allocation, no system call.
#pragma once
#include "record/clock.h"
#include "record/level.h"
#include "record/nccl_thread.h"
#include "record/options.h"
#include "record/registry.h"
#include "record/ring.h"
#include "record/ring_store.h"
#include "record/steps.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace ringside::trace {
class Writer;
}

namespace ringside::collector {

/// What one recording thread keeps. Made at its first event, freed when the thread ends.
struct ThreadState {
    Ring* ring = nullptr;
    std::uint32_t threadId = 0;
    bool deviceNoted = false;
    // The NCCL group the thread is in.
    int groupDepth = 0;
    bool groupWanted = true; ///< recording was not paused when it began
    std::uint64_t groupId = 0;
    std::uint64_t groupCalls = 0;
    std::uint64_t groupStartTicks = 0;
    GroupStreams groupStreams;
    NcclThread nccl;
    // The step it marked.
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

/// Initial-exec: touched on every call, must not allocate.
struct ThreadLocal {
    ThreadState* state;
    int depth;          ///< > 0: inside a hook; what NCCL and CUDA call themselves is not recorded again
    bool refused;       ///< there was no room for this thread's ring: not asked for again
    const void* caller; ///< where in the program the last call was made that is recorded, or is the first
};
// constinit also here: without it every access first looks for an initialising function.
extern constinit thread_local ThreadLocal t_thread __attribute__((tls_model("initial-exec")));

/// Begins the recording at the first call, and makes what the thread needs at its own first one.
[[gnu::cold]] ThreadState* makeRecordingThread();

/// The calling thread's state, or null when nothing is recorded.
inline ThreadState* recordingThread()
{
    ThreadState* const state = t_thread.state;
    return state != nullptr && !g_gate.isOver() ? state : makeRecordingThread();
}

/// Whether a call is none of our business: it comes from inside another one, or recording is over or off.
inline bool passesThrough()
{
    return t_thread.depth != 0 || g_gate.isOver();
}

/// Marks the thread as inside our code, also against signal handlers and thread cancellation.
class Inside final {
public:
    Inside() { ++t_thread.depth; }
    ~Inside() { --t_thread.depth; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
};

/// Shows other processes and recovery what the thread is inside (outermost call only). What only a collective
/// has is zero outside of one.
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

/// Call and group ids come from one counter: either may be an external correlation id.
extern std::atomic<std::uint64_t> g_nextCallId;
inline std::uint64_t nextCallId()
{
    return g_nextCallId.fetch_add(1, std::memory_order_relaxed);
}

extern constinit Registry* g_registry __attribute__((visibility("hidden")));
/// Valid from the begin of the recording on, and never freed.
inline Registry& registry()
{
    return *g_registry;
}
const ProcessNames& processNames();
/// A ring for a thread of the collector's own (own_thread.h), which is the only one to write into it. Never
/// freed. Null, said on stderr, when there is no room.
Ring* makeOwnRing(std::size_t bytes);

/// What takes part in the drain thread's work: called on that thread only, may throw (recording then stops).
class Participant {
public:
    virtual ~Participant() = default;
    virtual void begin(trace::Writer& writer, const Options& options) = 0;
    virtual void pass(trace::Writer& writer, Registry& registry) = 0;
    virtual void end(trace::Writer& writer, Registry& registry) = 0;
    /// Instead of end() when the trace cannot be written any more: lets go of what it holds in the program.
    virtual void abandon() {}
};
/// Who takes part: the collector defines it, without it (a weak default) nobody does. Called once, when
/// recording starts; they must live as long as the process. Not a registration by static constructors, which
/// may run after the first intercepted call.
std::vector<Participant*> makeParticipants();

/// Ends recording: all records are committed and the file is closed, within a bounded wait. Safe to call
/// twice. `exitCode`: the program's; with another one than 0 a flight recorder is kept.
void closeSession(int exitCode = 0);
/// At exit, closes the session before the handlers that were set until now: they run in reverse order, and
/// CUDA's ends the driver that the last records come from.
void closeAheadOfExitHandlers();

} // namespace ringside::collector
