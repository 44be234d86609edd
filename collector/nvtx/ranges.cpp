// SPDX-License-Identifier: Apache-2.0
#include "nvtx/ranges.h"

#include "nvtx/nccl_calls.h"
#include "nvtx/open_ranges.h"
#include "record/level.h"
#include "record/steps.h"

#include <algorithm>

namespace ringside::collector::nvtx {
namespace {

using OpenRange = ThreadState::OpenRange;

constinit OpenRanges g_openRanges;
constinit Refused g_refused;

// Returns the thread if its NVTX events are recorded.
ThreadState* eventThread(const Name* domain)
{
    if (domain != nullptr && domain->ncclSchemas != nullptr) {
        return unwrappedThread();
    }
    return t_thread.depth == 0 && g_gate.isRecording() ? recordingThread() : nullptr;
}

void writeRange(ThreadState& thread, const StartedRange& range, std::uint64_t endTicks, std::uint32_t depth,
                trace::RangeFlavour flavour)
{
    if (!range.wanted) {
        return;
    }
    if (auto* record = thread.ring->reserve<trace::RangeRecord>(); record != nullptr) {
        record->startTicks = range.startTicks;
        record->endTicks = endTicks;
        record->name = range.name;
        record->domain = range.domain;
        record->category = range.category;
        record->depth = static_cast<std::uint16_t>(depth);
        record->flavour = flavour;
        thread.ring->commit(record, trace::RecordKind::Range);
    }
}

struct Message {
    StringId name = 0;
    std::optional<StepSource> step;
    NcclFunction nccl = NcclFunction::None;
};

Message messageOf(std::string_view text)
{
    return {registry().intern(text), stepSourceOf(text), ncclFunctionOf(text)};
}

Message messageOf(const EventAttributes* event)
{
    if (event == nullptr || event->message == nullptr) {
        return {};
    }
    switch (event->messageType) {
    case kMessageAscii:
        return messageOf(static_cast<const char*>(event->message));
    case kMessageUnicode:
        return messageOf(toUtf8(static_cast<const wchar_t*>(event->message)));
    case kMessageRegistered: {
        Name* const name = nameOf(event->message);
        return name != nullptr ? Message{idOf(name), name->step, name->nccl} : Message{};
    }
    default:
        return {};
    }
}

std::uint32_t categoryOf(const EventAttributes* event)
{
    return event != nullptr ? event->category : 0;
}

// The payload of an event, in the event itself or passed with it.
Values valuesOf(const Schemas& schemas, const EventAttributes* event, const Payloads& payloads)
{
    if (payloads.count != 0) {
        return schemas.valuesOf(payloads.data, payloads.count);
    }
    const bool carries = event != nullptr && event->size >= sizeof *event &&
                         event->payloadType == kPayloadExtension && event->reserved0 > 0;
    if (!carries) {
        return {};
    }
    const auto* data = reinterpret_cast<const PayloadData*>(static_cast<std::uintptr_t>(event->payload));
    return schemas.valuesOf(data, static_cast<std::size_t>(event->reserved0));
}

// A range of NCCL: a function that the program called, or one inside it.
void beginInNccl(ThreadState& thread, OpenRange& range, NcclFunction function, const Values& values)
{
    range.nccl = static_cast<std::uint8_t>(function);
    range.silent = thread.nccl.reported.inside ||
                   (function != NcclFunction::None && !beginNccl(thread, function, range.name, values));
}

// Returns whether the ending range has its own row.
bool endInNccl(ThreadState& thread, const OpenRange& range, const Payloads& payloads)
{
    const auto function = static_cast<NcclFunction>(range.nccl);
    if (range.silent || function == NcclFunction::None) {
        return !range.silent;
    }
    const auto* const domain = static_cast<const Name*>(range.domain);
    return endNccl(thread, function, valuesOf(*domain->ncclSchemas, nullptr, payloads));
}

// Each domain has its own stack. This is the index of the innermost range of the domain, plus one; 0 if there
// is none.
std::uint32_t innermost(const ThreadState& thread, const Name* domain)
{
    std::uint32_t at = thread.rangeDepth;
    while (at > 0 && thread.ranges[at - 1].domain != domain) {
        --at;
    }
    return at;
}

} // namespace

int push(Name* domain, const EventAttributes* event, const Payloads& payloads)
{
    ThreadState* const thread = eventThread(domain);
    if (thread == nullptr) {
        return 0;
    }
    const Inside inside;
    if (thread->rangeDepth == thread->ranges.size()) {
        g_refused.tooDeep.fetch_add(1, std::memory_order_relaxed);
        return static_cast<int>(thread->rangeDepth + thread->rangesBeyond++);
    }
    const Message message = messageOf(event);
    if (message.step.has_value()) {
        noteStep(thread->steps, *message.step);
    }
    OpenRange& range = thread->ranges[thread->rangeDepth];
    range = {0, domain, message.name, categoryOf(event), 0, false, !isPaused()};
    if (domain != nullptr && domain->ncclSchemas != nullptr) {
        beginInNccl(*thread, range, message.nccl, valuesOf(*domain->ncclSchemas, event, payloads));
    }
    range.startTicks = ticks();
    return static_cast<int>(thread->rangeDepth++);
}

int pop(Name* domain, const Payloads& payloads)
{
    const std::uint64_t end = g_gate.isRecording() ? ticks() : 0;
    ThreadState* const thread = eventThread(domain);
    if (thread == nullptr) {
        return 0;
    }
    const Inside inside;
    if (thread->rangesBeyond != 0) {
        return static_cast<int>(thread->rangeDepth + --thread->rangesBeyond);
    }
    const std::uint32_t at = innermost(*thread, domain);
    if (at == 0) {
        return -1; // pushed before recording began
    }
    const OpenRange range = thread->ranges[at - 1];
    const auto depth = static_cast<std::uint32_t>(
        std::count_if(thread->ranges.begin(), thread->ranges.begin() + at - 1,
                      [domain](const OpenRange& below) { return below.domain == domain; }));
    std::copy(thread->ranges.begin() + at, thread->ranges.begin() + thread->rangeDepth,
              thread->ranges.begin() + at - 1);
    --thread->rangeDepth;
    if (endInNccl(*thread, range, payloads)) {
        writeRange(*thread, {range.startTicks, range.name, idOf(domain), range.category, range.wanted}, end,
                   depth, trace::RangeFlavour::PushPop);
    }
    return static_cast<int>(depth);
}

std::uint64_t start(Name* domain, const EventAttributes* event, const std::optional<std::uint64_t>& theirs)
{
    ThreadState* const thread = eventThread(domain);
    if (thread == nullptr) {
        return theirs.value_or(0);
    }
    const Inside inside;
    const Message message = messageOf(event);
    if (message.step.has_value()) {
        noteStep(thread->steps, *message.step);
    }
    const StartedRange range{ticks(), message.name, idOf(domain), categoryOf(event), !isPaused()};
    const std::uint64_t id = theirs ? g_openRanges.start(range, *theirs) : g_openRanges.start(range);
    if (id == 0) {
        g_refused.tooMany.fetch_add(1, std::memory_order_relaxed);
    }
    return theirs.value_or(id);
}

void end(std::uint64_t id)
{
    ThreadState* const thread = eventThread(nullptr);
    if (thread == nullptr) {
        return;
    }
    const Inside inside;
    if (const auto range = g_openRanges.end(id); range.has_value()) {
        writeRange(*thread, *range, ticks(), 0, trace::RangeFlavour::StartEnd);
    }
}

void mark(Name* domain, const EventAttributes* event)
{
    ThreadState* const thread = eventThread(domain);
    if (thread == nullptr) {
        return;
    }
    const Inside inside;
    const std::uint64_t now = ticks();
    writeRange(*thread, {now, messageOf(event).name, idOf(domain), categoryOf(event), !isPaused()}, now,
               thread->rangeDepth, trace::RangeFlavour::Mark);
}

EventAttributes plain(MessageType messageType, const void* message)
{
    EventAttributes event{};
    event.size = sizeof event;
    event.messageType = messageType;
    event.message = message;
    return event;
}

void markText(Name* domain, const char* text)
{
    const auto event = plain(kMessageAscii, text);
    mark(domain, &event);
}

void pushText(Name* domain, const char* text)
{
    const auto event = plain(kMessageAscii, text);
    push(domain, &event);
}

const Refused& refusedRanges()
{
    return g_refused;
}

} // namespace ringside::collector::nvtx
