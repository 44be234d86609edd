// SPDX-License-Identifier: Apache-2.0
// Each hook calls the chained tool and records the event. The tool is called first at the start of a
// range and last at its end, so that the recorded range does not include the tool's time.
#include "nvtx/hooks.h"

#include "nvtx/labels.h"
#include "nvtx/ranges.h"

#include <array>

namespace ringside::collector::nvtx {
namespace {

using Event = const EventAttributes*;

constinit std::array<Next, kCoreFunctions> g_core;
constinit std::array<Next, kCore2Functions> g_core2;
constinit std::array<Next, kPayloadFunctions> g_payload;

// NVTX's callers may pass null for a text.
std::string_view textOf(const char* text)
{
    return text != nullptr ? text : "";
}

// ---- module kModuleCore: the default domain ----
void onMarkEx(Event event)
{
    tell(g_core[kCoreMarkEx], event);
    mark(nullptr, event);
}
void onMarkA(const char* text)
{
    tell(g_core[kCoreMarkA], text);
    const auto event = plain(kMessageAscii, text);
    mark(nullptr, &event);
}
void onMarkW(const wchar_t* text)
{
    tell(g_core[kCoreMarkW], text);
    const auto event = plain(kMessageUnicode, text);
    mark(nullptr, &event);
}
std::uint64_t onStartEx(Event event)
{
    const auto theirs = passOn<std::uint64_t>(g_core[kCoreRangeStartEx], event);
    return start(nullptr, event, theirs);
}
std::uint64_t onStartA(const char* text)
{
    const auto theirs = passOn<std::uint64_t>(g_core[kCoreRangeStartA], text);
    const auto event = plain(kMessageAscii, text);
    return start(nullptr, &event, theirs);
}
std::uint64_t onStartW(const wchar_t* text)
{
    const auto theirs = passOn<std::uint64_t>(g_core[kCoreRangeStartW], text);
    const auto event = plain(kMessageUnicode, text);
    return start(nullptr, &event, theirs);
}
void onEnd(std::uint64_t id)
{
    end(id);
    tell(g_core[kCoreRangeEnd], id);
}
int onPushEx(Event event)
{
    const auto theirs = passOn<int>(g_core[kCoreRangePushEx], event);
    return theirs.value_or(push(nullptr, event));
}
int onPushA(const char* text)
{
    const auto theirs = passOn<int>(g_core[kCoreRangePushA], text);
    const auto event = plain(kMessageAscii, text);
    return theirs.value_or(push(nullptr, &event));
}
int onPushW(const wchar_t* text)
{
    const auto theirs = passOn<int>(g_core[kCoreRangePushW], text);
    const auto event = plain(kMessageUnicode, text);
    return theirs.value_or(push(nullptr, &event));
}
int onPop()
{
    const int ours = pop(nullptr);
    return passOn<int>(g_core[kCoreRangePop]).value_or(ours);
}
void onCategoryA(std::uint32_t category, const char* text)
{
    tell(g_core[kCoreNameCategoryA], category, text);
    nameCategory(nullptr, category, textOf(text));
}
void onCategoryW(std::uint32_t category, const wchar_t* text)
{
    tell(g_core[kCoreNameCategoryW], category, text);
    nameCategory(nullptr, category, toUtf8(text));
}
void onThreadA(std::uint32_t tid, const char* text)
{
    tell(g_core[kCoreNameOsThreadA], tid, text);
    nameThread(tid, textOf(text));
}
void onThreadW(std::uint32_t tid, const wchar_t* text)
{
    tell(g_core[kCoreNameOsThreadW], tid, text);
    nameThread(tid, toUtf8(text));
}

// ---- module kModuleCore2: domains ----
void onDomainMark(Handle domain, Event event)
{
    tell(g_core2[kCore2MarkEx], domain, event);
    mark(nameOf(domain), event);
}
std::uint64_t onDomainStart(Handle domain, Event event)
{
    const auto theirs = passOn<std::uint64_t>(g_core2[kCore2RangeStartEx], domain, event);
    return start(nameOf(domain), event, theirs);
}
void onDomainEnd(Handle domain, std::uint64_t id)
{
    end(id);
    tell(g_core2[kCore2RangeEnd], domain, id);
}
int onDomainPush(Handle domain, Event event)
{
    const auto theirs = passOn<int>(g_core2[kCore2RangePushEx], domain, event);
    return theirs.value_or(push(nameOf(domain), event));
}
int onDomainPop(Handle domain)
{
    const int ours = pop(nameOf(domain));
    return passOn<int>(g_core2[kCore2RangePop], domain).value_or(ours);
}
void onDomainCategoryA(Handle domain, std::uint32_t category, const char* text)
{
    tell(g_core2[kCore2NameCategoryA], domain, category, text);
    nameCategory(nameOf(domain), category, textOf(text));
}
void onDomainCategoryW(Handle domain, std::uint32_t category, const wchar_t* text)
{
    tell(g_core2[kCore2NameCategoryW], domain, category, text);
    nameCategory(nameOf(domain), category, toUtf8(text));
}
Handle handleOf(std::optional<Handle> theirs, std::string_view text)
{
    return theirs ? adoptHandle(*theirs, text) : makeHandle(text);
}
Handle onRegisterA(Handle domain, const char* text)
{
    return handleOf(passOn<Handle>(g_core2[kCore2RegisterStringA], domain, text), textOf(text));
}
Handle onRegisterW(Handle domain, const wchar_t* text)
{
    return handleOf(passOn<Handle>(g_core2[kCore2RegisterStringW], domain, text), toUtf8(text));
}
Handle onDomainA(const char* text)
{
    return handleOf(passOn<Handle>(g_core2[kCore2DomainCreateA], text), textOf(text));
}
Handle onDomainW(const wchar_t* text)
{
    return handleOf(passOn<Handle>(g_core2[kCore2DomainCreateW], text), toUtf8(text));
}
void onDomainDestroy(Handle domain) // ours may be in use on another thread: kept
{
    tell(g_core2[kCore2DomainDestroy], domain);
}

// ---- the payload extension: what its events carry is read in domain "NCCL" only ----
using Data = const PayloadData*;

std::uint64_t onSchema(Handle domain, const SchemaAttributes* schema)
{
    const auto theirs = passOn<std::uint64_t>(g_payload[kPayloadSchemaRegister], domain, schema);
    return schema != nullptr ? registerSchema(nameOf(domain), *schema, theirs) : theirs.value_or(0);
}
std::uint64_t onEnum(Handle domain, const EnumAttributes* enumeration)
{
    const auto theirs = passOn<std::uint64_t>(g_payload[kPayloadEnumRegister], domain, enumeration);
    return enumeration != nullptr ? registerEnum(nameOf(domain), *enumeration, theirs) : theirs.value_or(0);
}
void onMarkPayload(Handle domain, Data data, std::size_t count)
{
    tell(g_payload[kPayloadMark], domain, data, count);
    mark(nameOf(domain), nullptr);
}
int onPushPayload(Handle domain, Data data, std::size_t count)
{
    const auto theirs = passOn<int>(g_payload[kPayloadRangePush], domain, data, count);
    return theirs.value_or(push(nameOf(domain), nullptr, {data, count}));
}
int onPopPayload(Handle domain, Data data, std::size_t count)
{
    const int ours = pop(nameOf(domain), {data, count});
    return passOn<int>(g_payload[kPayloadRangePop], domain, data, count).value_or(ours);
}
std::uint64_t onStartPayload(Handle domain, Data data, std::size_t count)
{
    const auto theirs = passOn<std::uint64_t>(g_payload[kPayloadRangeStart], domain, data, count);
    return start(nameOf(domain), nullptr, theirs);
}
void onEndPayload(Handle domain, std::uint64_t id, Data data, std::size_t count)
{
    end(id);
    tell(g_payload[kPayloadRangeEnd], domain, id, data, count);
}

template <class F>
Function as(F* function)
{
    return reinterpret_cast<Function>(function);
}
template <class F>
Hook core(CoreId id, F* function)
{
    return {id, as(function), &g_core[id]};
}
template <class F>
Hook core2(Core2Id id, F* function)
{
    return {id, as(function), &g_core2[id]};
}
template <class F>
Hook payload(PayloadId id, F* function)
{
    return {id, as(function), &g_payload[id]};
}

} // namespace

std::span<const Hook> coreHooks()
{
    static const std::array hooks = {core(kCoreMarkEx, &onMarkEx),
                                     core(kCoreMarkA, &onMarkA),
                                     core(kCoreMarkW, &onMarkW),
                                     core(kCoreRangeStartEx, &onStartEx),
                                     core(kCoreRangeStartA, &onStartA),
                                     core(kCoreRangeStartW, &onStartW),
                                     core(kCoreRangeEnd, &onEnd),
                                     core(kCoreRangePushEx, &onPushEx),
                                     core(kCoreRangePushA, &onPushA),
                                     core(kCoreRangePushW, &onPushW),
                                     core(kCoreRangePop, &onPop),
                                     core(kCoreNameCategoryA, &onCategoryA),
                                     core(kCoreNameCategoryW, &onCategoryW),
                                     core(kCoreNameOsThreadA, &onThreadA),
                                     core(kCoreNameOsThreadW, &onThreadW)};
    return hooks;
}

std::span<const Hook> core2Hooks()
{
    static const std::array hooks = {core2(kCore2MarkEx, &onDomainMark),
                                     core2(kCore2RangeStartEx, &onDomainStart),
                                     core2(kCore2RangeEnd, &onDomainEnd),
                                     core2(kCore2RangePushEx, &onDomainPush),
                                     core2(kCore2RangePop, &onDomainPop),
                                     core2(kCore2NameCategoryA, &onDomainCategoryA),
                                     core2(kCore2NameCategoryW, &onDomainCategoryW),
                                     core2(kCore2RegisterStringA, &onRegisterA),
                                     core2(kCore2RegisterStringW, &onRegisterW),
                                     core2(kCore2DomainCreateA, &onDomainA),
                                     core2(kCore2DomainCreateW, &onDomainW),
                                     core2(kCore2DomainDestroy, &onDomainDestroy)};
    return hooks;
}

std::span<const Hook> payloadHooks()
{
    static const std::array hooks = {
        payload(kPayloadSchemaRegister, &onSchema), payload(kPayloadEnumRegister, &onEnum),
        payload(kPayloadMark, &onMarkPayload),      payload(kPayloadRangePush, &onPushPayload),
        payload(kPayloadRangePop, &onPopPayload),   payload(kPayloadRangeStart, &onStartPayload),
        payload(kPayloadRangeEnd, &onEndPayload)};
    return hooks;
}

} // namespace ringside::collector::nvtx
