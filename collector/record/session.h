// SPDX-License-Identifier: Apache-2.0
// The recording of this process. It begins at the first NCCL, CUDA or mark call, so that launchers leave
// no files. It ends at exit or when the collector fails, and does not begin again. The inline functions
// are the hot path: no lock, no allocation, no system call.
#pragma once
#include "record/clock.h"
#include "record/level.h"
#include "record/participant.h"
#include "record/ring_store.h"
#include "record/thread_state.h"

#include <ringside/trace/rows.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace ringside::collector {

/// Begins the recording at the first call, and creates the thread's state at the thread's first call.
[[gnu::cold]] ThreadState* makeRecordingThread();

/// The calling thread's state. Null: nothing is recorded.
inline ThreadState* recordingThread()
{
    ThreadState* const state = t_thread.state;
    return state != nullptr && !g_gate.isOver() ? state : makeRecordingThread();
}

/// Publishes the call that the thread is in (the outermost one) for other processes and for recovery.
/// Members that only a collective has are zero for other calls.
inline void enterCall(trace::InFlight& slot, std::uint32_t api, std::uint64_t startTicks)
{
    std::atomic_ref(slot.startTicks).store(startTicks, std::memory_order_relaxed);
    slot.api.store(api, std::memory_order_release);
}
inline void leaveCall(trace::InFlight& slot)
{
    slot.api.store(0, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_release); // before the members of the next call
}
/// Call it before enterCall(). The members are as in InFlight.
inline void describeCollective(trace::InFlight& slot, std::uint32_t communicator, std::uint64_t sequence,
                               std::uint64_t count)
{
    std::atomic_ref(slot.communicator).store(communicator, std::memory_order_relaxed);
    std::atomic_ref(slot.sequence).store(sequence, std::memory_order_relaxed);
    std::atomic_ref(slot.count).store(count, std::memory_order_relaxed);
}
inline void leaveCollective(trace::InFlight& slot)
{
    describeCollective(slot, 0, 0, 0);
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

/// To be called where the program jumps (longjmp) to a frame whose stack pointer is `to`: ends the hooks that
/// it leaves that way, so that the thread's next calls are recorded. Safe in a signal handler.
void leftByJump(std::uintptr_t to);

} // namespace ringside::collector
