// SPDX-License-Identifier: Apache-2.0
// NVTX injection: every library that embeds NVTX calls InitializeInjectionNvtx2 once and gets our functions
// into its tables, and InitializeInjectionNvtxExtension if it uses payloads. Ranges inside an intercepted
// call are not recorded again; ranges alone do not start a recording.
#include "nvtx/injection.h"

#include "abi/nvtx.h"
#include "nvtx/names.h"
#include "nvtx/open_ranges.h"

#include <ringside/trace/writer.h>

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

namespace ringside::collector::nvtx {
namespace {

constinit OpenRanges g_openRanges;
std::atomic<bool> g_initialized{false};
std::atomic<bool> g_stoodDown{false};

// The thread when its NVTX events are to be recorded.
ThreadState* eventThread()
{
    const bool wanted = t_thread.depth == 0 && g_phase.load(std::memory_order_acquire) == Phase::Recording;
    return wanted ? recordingThread() : nullptr;
}

void writeRange(ThreadState& thread, const StartedRange& range, std::uint64_t endTicks, std::uint32_t depth,
                trace::RangeFlavour flavour)
{
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
};

Message messageOf(const EventAttributes* event)
{
    if (event == nullptr || event->message == nullptr) {
        return {};
    }
    switch (event->messageType) {
    case kMessageAscii: {
        const std::string_view text(static_cast<const char*>(event->message));
        return {registry().intern(text), stepSourceOf(text)};
    }
    case kMessageUnicode: {
        const std::string text = toUtf8(static_cast<const wchar_t*>(event->message));
        return {registry().intern(text), stepSourceOf(text)};
    }
    case kMessageRegistered: {
        auto* name = static_cast<Name*>(const_cast<void*>(event->message));
        return {idOf(name), name->step};
    }
    default:
        return {};
    }
}

// The name of a range that begins; counts the step that it may be.
StringId beginName(ThreadState& thread, const EventAttributes* event)
{
    const Message message = messageOf(event);
    if (message.step.has_value()) {
        noteStep(thread.steps, *message.step);
    }
    return message.name;
}

std::uint32_t categoryOf(const EventAttributes* event)
{
    return event != nullptr ? event->category : 0;
}

// Returns the depth of the new range in its domain, as NVTX asks for.
int push(Name* domain, const EventAttributes* event)
{
    ThreadState* thread = eventThread();
    if (thread == nullptr) {
        return 0;
    }
    const Inside inside;
    if (thread->rangeDepth == thread->ranges.size()) {
        return static_cast<int>(thread->rangeDepth + thread->rangesBeyond++);
    }
    const StringId name = beginName(*thread, event);
    thread->ranges[thread->rangeDepth] = {ticks(), domain, name, categoryOf(event)};
    return static_cast<int>(thread->rangeDepth++);
}

int pop(Name* domain)
{
    const std::uint64_t end = g_phase.load(std::memory_order_relaxed) == Phase::Recording ? ticks() : 0;
    ThreadState* thread = eventThread();
    if (thread == nullptr) {
        return 0;
    }
    const Inside inside;
    if (thread->rangesBeyond != 0) {
        return static_cast<int>(thread->rangeDepth + --thread->rangesBeyond);
    }
    // Each domain has its own stack: take the innermost of this one, count those of this domain below it.
    std::uint32_t at = thread->rangeDepth;
    while (at > 0 && thread->ranges[at - 1].domain != domain) {
        --at;
    }
    if (at == 0) {
        return -1; // pushed before recording began
    }
    const ThreadState::OpenRange range = thread->ranges[at - 1];
    std::uint32_t depth = 0;
    for (std::uint32_t below = 0; below + 1 < at; ++below) {
        depth += thread->ranges[below].domain == domain ? 1 : 0;
    }
    std::copy(thread->ranges.begin() + at, thread->ranges.begin() + thread->rangeDepth,
              thread->ranges.begin() + at - 1);
    --thread->rangeDepth;
    writeRange(*thread, {range.startTicks, range.name, idOf(domain), range.category}, end, depth,
               trace::RangeFlavour::PushPop);
    return static_cast<int>(depth);
}

std::uint64_t start(Name* domain, const EventAttributes* event)
{
    ThreadState* thread = eventThread();
    if (thread == nullptr) {
        return 0;
    }
    const Inside inside;
    const StringId name = beginName(*thread, event);
    return g_openRanges.start({ticks(), name, idOf(domain), categoryOf(event)});
}

void end(std::uint64_t id)
{
    ThreadState* thread = eventThread();
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
    if (ThreadState* thread = eventThread(); thread != nullptr) {
        const Inside inside;
        const std::uint64_t now = ticks();
        const StringId name = messageOf(event).name;
        writeRange(*thread, {now, name, idOf(domain), categoryOf(event)}, now, thread->rangeDepth,
                   trace::RangeFlavour::Mark);
    }
}

EventAttributes plain(std::int32_t messageType, const void* message)
{
    EventAttributes event{};
    event.messageType = messageType;
    event.message = message;
    return event;
}

void onMarkEx(const EventAttributes* event)
{
    mark(nullptr, event);
}
void onMarkA(const char* text)
{
    const auto event = plain(kMessageAscii, text);
    mark(nullptr, &event);
}
void onMarkW(const wchar_t* text)
{
    const auto event = plain(kMessageUnicode, text);
    mark(nullptr, &event);
}
std::uint64_t onStartEx(const EventAttributes* event)
{
    return start(nullptr, event);
}
std::uint64_t onStartA(const char* text)
{
    const auto event = plain(kMessageAscii, text);
    return start(nullptr, &event);
}
std::uint64_t onStartW(const wchar_t* text)
{
    const auto event = plain(kMessageUnicode, text);
    return start(nullptr, &event);
}
void onEnd(std::uint64_t id)
{
    end(id);
}
int onPushEx(const EventAttributes* event)
{
    return push(nullptr, event);
}
int onPushA(const char* text)
{
    const auto event = plain(kMessageAscii, text);
    return push(nullptr, &event);
}
int onPushW(const wchar_t* text)
{
    const auto event = plain(kMessageUnicode, text);
    return push(nullptr, &event);
}
int onPop()
{
    return pop(nullptr);
}

void onDomainEnd(Name*, std::uint64_t id)
{
    end(id);
}
Name* onRegisterA(Name*, const char* text)
{
    return makeName(text != nullptr ? text : "");
}
Name* onRegisterW(Name*, const wchar_t* text)
{
    return makeName(toUtf8(text));
}
Name* onDomainA(const char* text)
{
    return makeName(text != nullptr ? text : "");
}
Name* onDomainW(const wchar_t* text)
{
    return makeName(toUtf8(text));
}
void onDomainDestroy(Name*) {} // its handle may be in use on another thread: kept

// The payload extension's own events. What they carry is not read, but they begin and end ranges: NCCL ends
// those of its communicators by a payload.
struct Payload;
void onMarkPayload(Name* domain, const Payload*, std::size_t)
{
    mark(domain, nullptr);
}
int onPushPayload(Name* domain, const Payload*, std::size_t)
{
    return push(domain, nullptr);
}
int onPopPayload(Name* domain, const Payload*, std::size_t)
{
    return pop(domain);
}
std::uint64_t onStartPayload(Name* domain, const Payload*, std::size_t)
{
    return start(domain, nullptr);
}
void onEndPayload(Name*, std::uint64_t id, const Payload*, std::size_t)
{
    end(id);
}

struct Hook {
    unsigned id;
    Function function;
};
template <class F>
Function as(F* function)
{
    return reinterpret_cast<Function>(function);
}

template <std::size_t Count>
void install(const CallbackTable& callbacks, std::int32_t module, const Hook (&hooks)[Count])
{
    FunctionTable table = nullptr;
    unsigned size = 0;
    if (callbacks.getModuleFunctionTable(module, &table, &size) == 0 || table == nullptr) {
        return;
    }
    for (const Hook& hook : hooks) {
        if (hook.id < size && table[hook.id] != nullptr) {
            *table[hook.id] = hook.function;
        }
    }
}

// The path under which this library was loaded.
const char* ownPath()
{
    Dl_info info{};
    return dladdr(reinterpret_cast<void*>(&ownPath), &info) != 0 ? info.dli_fname : nullptr;
}

bool isOwnLibrary(const char* path)
{
    char theirs[4096];
    char ours[4096];
    const char* own = ownPath();
    return own != nullptr && realpath(path, theirs) != nullptr && realpath(own, ours) != nullptr &&
           std::strcmp(theirs, ours) == 0;
}

// NVTX reads the variable at its first event. Another tool that is named there keeps it: we stand down.
__attribute__((constructor)) void announce()
{
    const char* directory = std::getenv("RINGSIDE_DIR");
    if (directory == nullptr || *directory == '\0') {
        return;
    }
    constexpr const char* kVariable = "NVTX_INJECTION64_PATH";
    if (const char* other = std::getenv(kVariable); other != nullptr && *other != '\0') {
        g_stoodDown = !isOwnLibrary(other);
    } else if (const char* own = ownPath(); own != nullptr) {
        setenv(kVariable, own, 1);
    }
}

} // namespace

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
void popText(Name* domain)
{
    pop(domain);
}

void Tier::begin(trace::Writer& writer, const Options&)
{
    describe(writer);
}

void Tier::pass(trace::Writer& writer, Registry&)
{
    if (g_initialized.load() != m_active) {
        describe(writer);
    }
}

void Tier::end(trace::Writer& writer, Registry&)
{
    describe(writer);
}

void Tier::describe(trace::Writer& writer)
{
    m_active = g_initialized.load();
    const char* reason = m_active             ? ""
                         : g_stoodDown.load() ? "NVTX_INJECTION64_PATH already names another tool"
                                              : "no library of the program used NVTX";
    writer.setTier({"nvtx", m_active, reason, std::nullopt, std::nullopt});
}

} // namespace ringside::collector::nvtx

extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx2(ringside::collector::nvtx::GetExportTable getExportTable)
{
    using namespace ringside::collector::nvtx;
    const auto* callbacks = static_cast<const CallbackTable*>(getExportTable(kExportTableCallbacks));
    if (callbacks == nullptr || callbacks->structSize < sizeof(CallbackTable)) {
        return 0;
    }
    install(*callbacks, kModuleCore,
            {{kCoreMarkEx, as(&onMarkEx)},
             {kCoreMarkA, as(&onMarkA)},
             {kCoreMarkW, as(&onMarkW)},
             {kCoreRangeStartEx, as(&onStartEx)},
             {kCoreRangeStartA, as(&onStartA)},
             {kCoreRangeStartW, as(&onStartW)},
             {kCoreRangeEnd, as(&onEnd)},
             {kCoreRangePushEx, as(&onPushEx)},
             {kCoreRangePushA, as(&onPushA)},
             {kCoreRangePushW, as(&onPushW)},
             {kCoreRangePop, as(&onPop)}});
    install(*callbacks, kModuleCore2,
            {{kCore2MarkEx, as(&mark)},
             {kCore2RangeStartEx, as(&start)},
             {kCore2RangeEnd, as(&onDomainEnd)},
             {kCore2RangePushEx, as(&push)},
             {kCore2RangePop, as(&pop)},
             {kCore2RegisterStringA, as(&onRegisterA)},
             {kCore2RegisterStringW, as(&onRegisterW)},
             {kCore2DomainCreateA, as(&onDomainA)},
             {kCore2DomainCreateW, as(&onDomainW)},
             {kCore2DomainDestroy, as(&onDomainDestroy)}});
    g_initialized = true;
    return 1;
}

extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtxExtension(ringside::collector::nvtx::ExtensionModule* module)
{
    using namespace ringside::collector::nvtx;
    if (module == nullptr || module->moduleId != kExtensionPayload || module->segmentCount == 0) {
        return 0;
    }
    const ExtensionSegment& segment = module->segments[0];
    const Hook hooks[] = {{kPayloadMark, as(&onMarkPayload)},
                          {kPayloadRangePush, as(&onPushPayload)},
                          {kPayloadRangePop, as(&onPopPayload)},
                          {kPayloadRangeStart, as(&onStartPayload)},
                          {kPayloadRangeEnd, as(&onEndPayload)}};
    for (const Hook& hook : hooks) {
        if (hook.id < segment.slotCount) {
            segment.slots[hook.id] = reinterpret_cast<std::intptr_t>(hook.function);
        }
    }
    return 1;
}
