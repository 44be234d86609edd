// SPDX-License-Identifier: Apache-2.0
#include "profiler/deep_events.h"

#include "profiler/observe.h"
#include "record/nccl_kernels.h"

#include <unistd.h>

namespace ringside::collector::profiler {
namespace {

Place* takeOther(Context* context, EventType type)
{
    Place* const place = pool().take(Kind::Other, pool().nextId());
    if (place != nullptr) {
        place->context.store(context, std::memory_order_relaxed);
        place->type = type;
    }
    return place;
}

bool isOfThisProcess(const Event& event)
{
    return event.proxyOp.pid == getpid(); // one per operation and channel
}

/// Keeps the first of a repeated state: a sender polls whether its peer is ready.
void noteFirst(std::uint64_t& at)
{
    at = at != 0 ? at : ticks();
}

void noteMessage(ProxyMessage& message, State state, const StateDetails& details)
{
    if (details.bytes != trace::kUnknownNumber && details.bytes != 0) {
        message.bytes = details.bytes;
    }
    switch (state) {
    case State::StepSendGpuWait:
    case State::StepRecvGpuWait:
        return noteFirst(message.gpuWaitTicks);
    case State::StepSendPeerWait:
        return noteFirst(message.peerWaitTicks);
    case State::StepSendWait:
    case State::StepRecvWait:
        return noteFirst(message.networkWaitTicks);
    case State::StepRecvFlushWait:
        return noteFirst(message.flushWaitTicks);
    default:
        return;
    }
}

} // namespace

Place* beginChannel(Context& context, const Event& event, std::int64_t enqueuedNs)
{
    Place* const place = takeOther(&context, kKernelCh);
    if (place != nullptr) {
        const Handle operation(event.parent);
        place->channel = {.operation = operation.idOf(Kind::Operation),
                          .deviceStartNs = event.kernelCh.timer,
                          .deviceEndNs = 0,
                          .startSeenTicks = ticks(),
                          .endSeenTicks = 0,
                          .notBeforeTicks = pool().notBeforeOf(operation),
                          .enqueuedNs = enqueuedNs,
                          .channel = event.kernelCh.channel};
    }
    return place;
}

Place* beginTimedKernel(Context& context, const Event& event)
{
    const std::int64_t enqueuedNs = pool().takeToBeTimedNs(Handle(event.parent));
    Place* const place = enqueuedNs != 0 ? beginChannel(context, event, enqueuedNs) : nullptr;
    if (enqueuedNs != 0 && place == nullptr) {
        ncclKernels().loseAll(); // no slot is free
    }
    return place;
}

void endTimedKernel(const Place& place)
{
    const Channel& channel = place.channel;
    ncclKernels().add(channel.enqueuedNs, place.context.load(std::memory_order_relaxed)->device,
                      channel.deviceStartNs, channel.deviceEndNs);
}

Place* beginPhase(const Event& event)
{
    const Place* const channel = pool().find(Handle(event.parent));
    if (channel == nullptr || channel->type != kKernelCh) {
        return nullptr;
    }
    Place* const place = takeOther(channel->context.load(std::memory_order_relaxed), kKernelPhase);
    if (place != nullptr) {
        place->phase = {.of = channel->channel, .phase = event.kernelPhase.phase};
        place->phase.of.deviceStartNs = event.kernelPhase.timer;
        place->phase.of.deviceEndNs = 0;
    }
    return place;
}

void endPhase(ThreadState& thread, const Place& place)
{
    const Channel& channel = place.phase.of;
    auto* const record =
        channel.deviceEndNs != 0 ? thread.ring->reserve<trace::KernelPhaseRecord>() : nullptr;
    if (record == nullptr) {
        return;
    }
    record->operation = channel.operation;
    record->deviceStartNs = channel.deviceStartNs;
    record->deviceEndNs = channel.deviceEndNs;
    record->seenTicks = ticks();
    record->notBeforeTicks = channel.notBeforeTicks;
    record->device = place.context.load(std::memory_order_relaxed)->device;
    record->channel = channel.channel;
    record->phase = place.phase.phase;
    thread.ring->commit(record, trace::RecordKind::KernelPhase);
}

void endChannel(ThreadState& thread, const Place& place)
{
    const Channel& channel = place.channel;
    auto* const record =
        channel.endSeenTicks != 0 ? thread.ring->reserve<trace::ChannelTimeRecord>() : nullptr;
    if (record == nullptr) {
        return;
    }
    record->operation = channel.operation;
    record->deviceStartNs = channel.deviceStartNs;
    record->deviceEndNs = channel.deviceEndNs;
    record->startSeenTicks = channel.startSeenTicks;
    record->endSeenTicks = channel.endSeenTicks;
    record->notBeforeTicks = channel.notBeforeTicks;
    record->device = place.context.load(std::memory_order_relaxed)->device;
    record->channel = channel.channel;
    thread.ring->commit(record, trace::RecordKind::ChannelTime);
}

Place* beginProxyOperation(Context* context, const Event& event)
{
    const bool ours = isOfThisProcess(event);
    Place* const place = takeOther(ours ? context : nullptr, kProxyOp);
    if (place != nullptr) {
        place->proxyOperation = {.operation = ours ? Handle(event.parent).idOf(Kind::Operation) : 0,
                                 .peer = event.proxyOp.peer,
                                 .channel = event.proxyOp.channel,
                                 .isSend = event.proxyOp.isSend != 0};
    }
    return place;
}

Place* beginProxyMessage(const Event& event)
{
    const Place* const operation = pool().find(Handle(event.parent));
    if (operation == nullptr || operation->type != kProxyOp) {
        return nullptr;
    }
    Place* const place = takeOther(operation->context.load(std::memory_order_relaxed), kProxyStep);
    if (place != nullptr) {
        place->message = {.of = operation->proxyOperation,
                          .startTicks = ticks(),
                          .gpuWaitTicks = 0,
                          .peerWaitTicks = 0,
                          .networkWaitTicks = 0,
                          .flushWaitTicks = 0,
                          .bytes = trace::kUnknownNumber,
                          .step = event.proxyStep.step};
    }
    return place;
}

void endProxyMessage(ThreadState& thread, const Place& place)
{
    auto* const record = thread.ring->reserve<trace::ProxyStepRecord>();
    if (record == nullptr) {
        return;
    }
    const ProxyMessage& message = place.message;
    record->operation = message.of.operation;
    record->startTicks = message.startTicks;
    record->endTicks = ticks();
    record->gpuWaitTicks = message.gpuWaitTicks;
    record->peerWaitTicks = message.peerWaitTicks;
    record->networkWaitTicks = message.networkWaitTicks;
    record->flushWaitTicks = message.flushWaitTicks;
    record->bytes = message.bytes;
    record->peer = message.of.peer;
    record->step = message.step;
    record->channel = message.of.channel;
    record->isSend = message.of.isSend ? 1 : 0;
    thread.ring->commit(record, trace::RecordKind::ProxyStep);
}

void noteState(Place& place, State state, const StateDetails& details)
{
    if (place.type == kProxyStep) {
        noteMessage(place.message, state, details);
    } else if (place.type == kKernelCh && state == State::KernelChStop && details.deviceEndNs != 0) {
        place.channel.deviceEndNs = details.deviceEndNs;
        place.channel.endSeenTicks = ticks();
    } else if (place.type == kKernelPhase && state == State::KernelPhaseStop) {
        place.phase.of.deviceEndNs = details.deviceEndNs;
    }
}

} // namespace ringside::collector::profiler
