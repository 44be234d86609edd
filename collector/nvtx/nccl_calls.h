// SPDX-License-Identifier: Apache-2.0
// Calls of an NCCL that no wrapper stands in front of (calls/foreign_call.h), from what its NVTX ranges
// tell at their begin and end: they get the records that a wrapper would have left, and what nobody told
// stays unknown. On the program's threads, so by the rules of the hot path.
#pragma once
#include "record/session.h"

namespace ringside::collector::nvtx {

/// The calling thread's state, when no wrapper stands around what it does; else, and when nothing is
/// recorded, null. May start the recording.
inline ThreadState* unwrappedThread()
{
    ThreadState* const state = t_thread.state;
    if (state != nullptr && state->nccl.told.inside && t_thread.depth == 1) {
        return state; // also when recording has ended meanwhile: what was begun is to be ended
    }
    return t_thread.depth == 0 ? recordingThread() : nullptr;
}

/// A data call begins: it gets an id and its number in the communicator, stands in the in-flight slot, device
/// work is tied to it, or to the group it is in, and what NCCL calls from now on passes through our wrappers.
/// `call` says what is known: api, communicator, bytes as count, reduction, peer. False when the thread is
/// inside of NCCL already; else endCall() must follow.
bool beginCall(ThreadState& thread, const ForeignCall& call);
void endCall(ThreadState& thread);

/// Any other function of NCCL: shown in the in-flight slot only. False as above.
bool enterFunction(ThreadState& thread, StringId api);
void leaveFunction(ThreadState& thread);

/// As ncclGroupStart, and as the begin and the end of ncclGroupEnd. Groups nest.
void enterGroup(ThreadState& thread);
/// False as above, and when no call of the group was told by ranges: then nothing is left of it.
bool beginGroupEnd(ThreadState& thread);
void endGroupEnd(ThreadState& thread);

/// What NCCL said of a communicator. Of a process's ranks of one communicator each has a device of its own.
struct ToldCommunicator {
    std::uint64_t ncclHash = 0;
    std::int32_t size = 0; ///< 0: not known
    std::int32_t rank = -1;
    std::int32_t device = -1;
    std::uint32_t parent = 0; ///< id of the one it was split from; 0: none, or not known
};
/// Adds it, or what is new of it. Null when there is no room, or without a hash.
Communicator* noteCommunicator(const ToldCommunicator& what);
/// The process has several ranks of it, and which is which was not told.
void noteSeveralRanks(std::uint64_t ncclHash);
/// The one that NCCL calls so; where the process has several ranks of it, that of the current device. Added
/// when it was not known. Null when there is no room, without a hash, and when it cannot be told which.
Communicator* communicatorOf(std::uint64_t ncclHash);
/// It is destroyed: the hash may come again for another one.
void forgetCommunicator(std::uint64_t ncclHash);

} // namespace ringside::collector::nvtx
