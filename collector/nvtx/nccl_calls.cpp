// SPDX-License-Identifier: Apache-2.0
#include "nvtx/nccl_calls.h"

#include "calls/foreign_call.h"
#include "calls/wrapper.h"
#include "device/correlation.h"
#include "record/level.h"

#include <mutex>

namespace ringside::collector::nvtx {
namespace {

// From here on, the thread is inside NCCL. If NCCL's profiler plugin reports no calls, it links its
// operations to this call.
void enter(ThreadState& thread)
{
    thread.nccl.reported.inside = true;
    thread.nccl.inside = true;
    ++t_thread.depth;
}
void leave(ThreadState& thread)
{
    thread.nccl.reported.inside = false;
    thread.nccl.inside = false;
    thread.nccl.callId = 0;
    --t_thread.depth;
}

bool correlate(std::uint64_t id)
{
    const bool on = g_deviceTierOn.load(std::memory_order_acquire);
    if (on) {
        pushCorrelation(id);
    }
    return on;
}
void stopCorrelating(ThreadState& thread)
{
    if (thread.nccl.reported.correlated) {
        popCorrelation();
        thread.nccl.reported.correlated = false;
    }
}

void showInFlight(trace::InFlight& slot, const ForeignCall& call)
{
    describeCollective(slot, call.communicator != nullptr ? call.communicator->id : 0, call.sequence,
                       call.count | trace::kCountIsBytes);
    enterCall(slot, call.api, call.startTicks);
}

// ---- communicators: rarely new, so under a mutex ----
constinit std::mutex g_mutex;
constinit HandleTable<bool, 1 << 10> g_severalRanks; ///< by NCCL's hash

std::uint64_t hashOf(std::uint64_t ncclHash)
{
    return hashBytes(&ncclHash, sizeof ncclHash); // as in calls/foreign_call.cpp
}
std::uint64_t keyOnDevice(std::uint64_t ncclHash, std::int32_t device)
{
    return hashBytes(&device, sizeof device, ncclHash);
}

CommunicatorIdentity identityOf(const ReportedCommunicator& what)
{
    CommunicatorIdentity identity;
    identity.hash = hashOf(what.ncclHash);
    identity.ncclHash = what.ncclHash;
    identity.parent = what.parent;
    identity.size = what.size;
    identity.rank = what.rank;
    identity.device = what.device;
    return identity;
}

void noteDeviceOf(const ReportedCommunicator& what)
{
    constexpr int kMostDevices = 64;
    if (what.device >= 0 && what.device < kMostDevices) {
        registry().devicesSeen.fetch_or(std::uint64_t{1} << what.device);
    }
}

// Another rank of a communicator of which this process already is a member.
Communicator* noteOtherRank(const ReportedCommunicator& what)
{
    const std::uint64_t key = keyOnDevice(what.ncclHash, what.device);
    g_severalRanks.set(what.ncclHash, true);
    Communicator* const known = registry().communicator(key);
    return known != nullptr ? known : registry().addCommunicator(identityOf(what), key);
}

} // namespace

bool beginCall(ThreadState& thread, const ForeignCall& call)
{
    if (thread.nccl.reported.inside) {
        return false;
    }
    ForeignCall& open = thread.nccl.reported.call;
    open = call;
    open.datatype = trace::kUnknownDatatype;
    open.callId = nextCallId();
    open.groupId = thread.groupDepth > 0 ? thread.groupId : 0;
    thread.nccl.reported.wanted = thread.groupDepth > 0 ? thread.groupWanted : !isPaused();
    open.startTicks = ticks();
    if (open.communicator != nullptr) {
        open.sequence = open.communicator->nextSequence.fetch_add(1, std::memory_order_relaxed);
    }
    enter(thread);
    thread.nccl.callId = open.callId;
    thread.nccl.communicator = open.communicator;
    showInFlight(thread.inFlight(), open);
    if (thread.groupDepth > 0) {
        ++thread.groupCalls;
    } else {
        thread.nccl.reported.correlated = correlate(open.callId);
    }
    return true;
}

void endCall(ThreadState& thread)
{
    ForeignCall& open = thread.nccl.reported.call;
    open.endTicks = ticks();
    stopCorrelating(thread);
    if (thread.nccl.reported.wanted) {
        writeForeignCall(thread, open);
    }
    open.callId = 0;
    leaveCall(thread.inFlight());
    leaveCollective(thread.inFlight());
    leave(thread);
}

bool enterFunction(ThreadState& thread, StringId api)
{
    if (thread.nccl.reported.inside) {
        return false;
    }
    enter(thread);
    enterCall(thread.inFlight(), api, ticks());
    return true;
}

void leaveFunction(ThreadState& thread)
{
    leaveCall(thread.inFlight());
    leave(thread);
}

void enterGroup(ThreadState& thread)
{
    if (!thread.nccl.reported.inside && thread.groupDepth++ == 0) {
        thread.groupWanted = !isPaused();
        thread.groupId = nextCallId();
        thread.groupCalls = 0;
        thread.groupStartTicks = ticks();
    }
}

bool beginGroupEnd(ThreadState& thread)
{
    if (thread.nccl.reported.inside || thread.groupDepth == 0) {
        return false;
    }
    if (thread.groupCalls == 0) {
        --thread.groupDepth;
        return false;
    }
    enterFunction(thread, stringIdOf(Api::ncclGroupEnd));
    thread.nccl.reported.groupEndTicks = ticks();
    thread.nccl.reported.correlated = thread.groupDepth == 1 && correlate(thread.groupId);
    return true;
}

void endGroupEnd(ThreadState& thread)
{
    const std::uint64_t end = ticks();
    stopCorrelating(thread);
    if (--thread.groupDepth == 0 && thread.groupWanted) {
        writeForeignGroup(thread, {.id = thread.groupId,
                                   .calls = thread.groupCalls,
                                   .startTicks = thread.groupStartTicks,
                                   .endCallTicks = thread.nccl.reported.groupEndTicks,
                                   .endTicks = end});
    }
    leaveFunction(thread);
}

Communicator* noteCommunicator(const ReportedCommunicator& what)
{
    if (what.ncclHash == 0) {
        return nullptr;
    }
    const std::scoped_lock lock(g_mutex);
    noteDeviceOf(what);
    const std::uint64_t key = hashOf(what.ncclHash);
    Communicator* const first = registry().communicator(key);
    if (first == nullptr) {
        return registry().addCommunicator(identityOf(what), key);
    }
    if (what.size == 0 || what.rank == first->identity.rank) {
        return first;
    }
    if (first->identity.size != 0) {
        return noteOtherRank(what);
    }
    CommunicatorIdentity identity = identityOf(what);
    identity.parent = what.parent != 0 ? what.parent : first->identity.parent;
    registry().amendCommunicator(*first, identity);
    return first;
}

void noteSeveralRanks(std::uint64_t ncclHash)
{
    if (ncclHash != 0) {
        const std::scoped_lock lock(g_mutex);
        g_severalRanks.set(ncclHash, true);
    }
}

Communicator* communicatorOf(std::uint64_t ncclHash)
{
    if (ncclHash == 0) {
        return nullptr;
    }
    Communicator* const first = registry().communicator(hashOf(ncclHash));
    if (!g_severalRanks.find(ncclHash)) {
        return first != nullptr ? first : noteCommunicator({.ncclHash = ncclHash});
    }
    const std::int32_t device = currentDevice();
    const bool isFirst = first != nullptr && device == first->identity.device;
    return isFirst ? first : registry().communicator(keyOnDevice(ncclHash, device));
}

void forgetCommunicator(std::uint64_t ncclHash)
{
    const std::scoped_lock lock(g_mutex);
    if (ncclHash != 0 && !g_severalRanks.find(ncclHash)) { // with several ranks, the others still exist
        registry().forgetCommunicator(hashOf(ncclHash));
    }
}

} // namespace ringside::collector::nvtx
