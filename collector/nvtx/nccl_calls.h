// SPDX-License-Identifier: Apache-2.0
// Records NCCL calls that pass no wrapper (calls/foreign_call.h) from the start and end of NCCL's NVTX
// ranges. They get the same records as wrapped calls; values that the ranges do not report stay unknown.
// Runs on the program's threads, so the rules of the hot path hold.
#pragma once
#include "record/session.h"

namespace ringside::collector::nvtx {

/// Returns the calling thread's state. Null: the thread is inside a wrapper, or nothing is recorded. May
/// start the recording.
inline ThreadState* unwrappedThread()
{
    ThreadState* const state = t_thread.state;
    if (state != nullptr && state->nccl.reported.inside && t_thread.depth == 1) {
        return state; // also after recording has ended, because open calls must be ended
    }
    return t_thread.depth == 0 ? recordingThread() : nullptr;
}

/// Begins a data call. It gets an id and a sequence number in its communicator, stands in the in-flight
/// slot, and device work is linked to it or to its group. Wrappers pass through what NCCL calls until
/// the end. `call` has what is known: api, communicator, bytes as count, reduction, peer. Returns false
/// if the thread is inside NCCL already; otherwise endCall() must follow.
bool beginCall(ThreadState& thread, const ForeignCall& call);
void endCall(ThreadState& thread);

/// Begins any other function of NCCL, which is shown in the in-flight slot only. Returns false as above.
bool enterFunction(ThreadState& thread, StringId api);
void leaveFunction(ThreadState& thread);

/// Correspond to ncclGroupStart and to the start and end of ncclGroupEnd. Groups nest.
void enterGroup(ThreadState& thread);
/// Returns false as above, and if ranges reported no call of the group. Then the group is discarded.
bool beginGroupEnd(ThreadState& thread);
void endGroupEnd(ThreadState& thread);

/// What NCCL reported of a communicator. If a process holds several ranks of it, each has its own
/// device.
struct ReportedCommunicator {
    std::uint64_t ncclHash = 0;
    std::int32_t size = 0; ///< 0: not known
    std::int32_t rank = -1;
    std::int32_t device = -1;
    std::uint32_t parent = 0; ///< id of the one it was split from; 0: none, or not known
};
/// Registers or updates a communicator. Returns null if there is no room or no hash.
Communicator* noteCommunicator(const ReportedCommunicator& what);
/// Whether the process holds several ranks of it that cannot be distinguished.
void noteSeveralRanks(std::uint64_t ncclHash);
/// Returns the communicator with NCCL's hash; if the process holds several ranks of it, the one of the
/// current device. Registers an unknown one. Null: no room, no hash, or the rank is ambiguous.
Communicator* communicatorOf(std::uint64_t ncclHash);
/// Call it when the communicator is destroyed: another one may get the same hash.
void forgetCommunicator(std::uint64_t ncclHash);

} // namespace ringside::collector::nvtx
