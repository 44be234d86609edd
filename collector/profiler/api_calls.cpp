// SPDX-License-Identifier: Apache-2.0
#include "profiler/api_calls.h"

#include "api/functions.h"
#include "calls/foreign_call.h"
#include "calls/graphs.h"
#include "device/correlation.h"
#include "profiler/observe.h"

#include <utility>

namespace ringside::collector::profiler {
namespace {

/// NCCL creates groups of its own around single calls.
bool standsAlone(const OpenGroup& group)
{
    return !group.asked && group.calls == 1;
}

Communicator* communicatorOf(Context& context)
{
    Communicator* communicator = context.communicator.load(std::memory_order_relaxed);
    if (communicator == nullptr) {
        communicator = makeForeignCommunicator(context.hash.load(std::memory_order_relaxed), context.size,
                                               context.rank, context.device);
        bind(context, communicator);
    }
    return communicator;
}

void leave(ThreadState& thread)
{
    leaveCall(thread.inFlight());
    leaveCollective(thread.inFlight());
}

/// Writes the latest call, if it has not been written yet.
void writeLast(ThreadState& thread, std::uint64_t groupId)
{
    ForeignCall call = std::exchange(thread.nccl.foreign.last, {});
    if (call.callId != 0) {
        call.groupId = groupId;
        writeForeignCall(thread, call);
    }
}

void finish(ThreadState& thread, std::uint64_t endTicks)
{
    OpenGroup& group = thread.nccl.foreign;
    if (group.correlated) {
        popCorrelation();
    }
    if (standsAlone(group)) {
        group.last.endTicks = endTicks;
        writeLast(thread, 0);
    } else if (group.calls > 0) {
        writeLast(thread, group.groupId);
        writeForeignGroup(thread, {.id = group.groupId,
                                   .calls = group.calls,
                                   .startTicks = group.startTicks,
                                   .endCallTicks = group.endCallTicks != 0 ? group.endCallTicks : endTicks,
                                   .endTicks = endTicks});
    }
    leave(thread);
    group = {};
}

} // namespace

Handle beginForeignGroup(ThreadState& thread, Context& context, const Event& event)
{
    OpenGroup& group = thread.nccl.foreign;
    if (group.groupId != 0) { // NCCL did not end it
        finish(thread, ticks());
    }
    group.groupId = nextCallId();
    group.startTicks = ticks();
    group.asked = event.groupDepth > 1;
    Place* const place = pool().take(Kind::Group, group.groupId);
    const Handle handle =
        place != nullptr ? place->handle() : Handle(Kind::Group, Handle::kNoPlace, group.groupId);
    if (place != nullptr) {
        place->context.store(&context, std::memory_order_relaxed);
        place->type = kGroupApi;
    }
    group.event = handle.bits();
    return handle;
}

void launchForeignGroup(ThreadState& thread, Handle handle)
{
    OpenGroup& group = thread.nccl.foreign;
    if (handle.id() != group.groupId || group.endCallTicks != 0) {
        return;
    }
    group.endCallTicks = ticks();
    if (!standsAlone(group)) {
        enterCall(thread.inFlight(), stringIdOf(Api::ncclGroupEnd), group.endCallTicks);
    }
    if (g_deviceTierOn.load(std::memory_order_acquire)) {
        pushCorrelation(standsAlone(group) ? group.last.callId : group.groupId);
        group.correlated = true;
    }
}

void endForeignGroup(ThreadState& thread, Handle handle)
{
    if (handle.id() == thread.nccl.foreign.groupId) {
        finish(thread, ticks());
    }
}

Handle beginForeignCall(ThreadState& thread, Context& context, const Event& event)
{
    OpenGroup& group = thread.nccl.foreign;
    writeLast(thread, group.groupId);
    ++group.calls;
    ForeignCall& call = group.last;
    call.api = apiOf(textOf(event.coll.function));
    call.communicator = communicatorOf(context);
    call.callId = nextCallId();
    call.count = event.coll.count;
    call.stream = event.stream;
    call.graph = event.captured ? noteCapture(static_cast<cudaStream_t>(event.stream), call.communicator) : 0;
    call.peer = peerOf(event);
    constexpr std::uint16_t kNewerType = 0xFFFE; // the count is still in elements
    const trace::DatatypeEntry* const type = datatypeOf(event.coll.datatype);
    call.datatype = type != nullptr ? static_cast<std::uint16_t>(type->datatype) : kNewerType;
    if (call.communicator != nullptr) {
        call.sequence = call.communicator->nextSequence.fetch_add(1, std::memory_order_relaxed);
    }
    call.startTicks = ticks();
    if (Place* const place = pool().find(Handle::ofBits(group.event)); place != nullptr) {
        place->launchesFor.store(standsAlone(group) ? call.callId : group.groupId, std::memory_order_release);
    }
    trace::InFlight& slot = thread.inFlight();
    describeCollective(slot, call.communicator != nullptr ? call.communicator->id : 0, call.sequence,
                       call.count);
    enterCall(slot, call.api, call.startTicks);
    return {Kind::Call, Handle::kNoPlace, call.callId};
}

void endForeignCall(ThreadState& thread, Handle handle)
{
    OpenGroup& group = thread.nccl.foreign;
    if (handle.id() != group.last.callId || group.last.endTicks != 0) {
        return; // NCCL may end a group twice
    }
    group.last.endTicks = ticks();
    if (group.groupId == 0) { // it began before recording started
        writeLast(thread, 0);
        group = {};
    }
    if (group.groupId == 0 || group.asked) {
        leave(thread); // a single call continues with its launch
    }
}

void countForeignCall(Context& context)
{
    if (Communicator* const communicator = communicatorOf(context); communicator != nullptr) {
        communicator->nextSequence.fetch_add(1, std::memory_order_relaxed);
    }
}

} // namespace ringside::collector::profiler
