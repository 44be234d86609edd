// SPDX-License-Identifier: Apache-2.0
// Another NVTX tool: prints every event and returns its own handles and ids. With NVTX_TOOL=plain it supports
// only ranges of the default domain; with NVTX_TOOL=refuse it declines.
#include "abi/nvtx.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

using namespace ringside::collector::nvtx;
using Handle = void*;
using Event = const EventAttributes*;

// Handles are numbers, so that a tool or program that follows one as an address fails.
std::array<std::string, 64> g_texts;
std::size_t g_count = 0;
Handle give(const char* what, const std::string& text)
{
    g_texts[g_count] = text;
    std::printf("tool: %s '%s' is %zu\n", what, text.c_str(), g_count + 1);
    return reinterpret_cast<Handle>(++g_count);
}
std::string textOf(const void* handle)
{
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    if (number == 0) {
        return "(none)";
    }
    return number <= g_count ? g_texts[number - 1] : "(a handle that I did not give)";
}
std::string narrow(const wchar_t* text)
{
    std::string result;
    for (; *text != 0; ++text) {
        result += *text < 0x80 ? static_cast<char>(*text) : '?';
    }
    return result;
}
std::string describe(Event event)
{
    std::string text = event->messageType == kMessageAscii ? static_cast<const char*>(event->message)
                       : event->messageType == kMessageUnicode
                           ? narrow(static_cast<const wchar_t*>(event->message))
                       : event->messageType == kMessageRegistered ? textOf(event->message)
                                                                  : "(no message)";
    text += " size " + std::to_string(event->size) + " category " + std::to_string(event->category);
    if (event->payloadType == kPayloadExtension) {
        const auto* data = reinterpret_cast<const PayloadData*>(event->payload);
        std::uint64_t first = 0;
        std::memcpy(&first, data->payload, sizeof first);
        text += " schema " + std::to_string(data->schemaId) + " first value " + std::to_string(first);
    } else if (event->payloadType != 0) {
        text += " payload " + std::to_string(event->payload);
    }
    return text;
}

int g_depth = 100;
std::uint64_t g_range = 0xFFFF000000000000;

template <class... Values>
void log(const char* format, const Values&... values)
{
    std::printf(format, values...);
}

int pushed(const std::string& domain, const std::string& what)
{
    log("tool: push %s in %s\n", what.c_str(), domain.c_str());
    return g_depth++;
}
int popped(const std::string& domain)
{
    log("tool: pop in %s\n", domain.c_str());
    return --g_depth;
}
std::uint64_t started(const std::string& domain, const std::string& what)
{
    log("tool: start %s in %s\n", what.c_str(), domain.c_str());
    return ++g_range;
}
void ended(const std::string& domain, std::uint64_t id)
{
    log("tool: end %llx in %s\n", static_cast<unsigned long long>(id), domain.c_str());
}
void marked(const std::string& domain, const std::string& what)
{
    log("tool: mark %s in %s\n", what.c_str(), domain.c_str());
}
const std::string kDefault = "the default domain";

void categoryIs(const std::string& domain, std::uint32_t category, const std::string& text)
{
    log("tool: category %u is %s in %s\n", category, text.c_str(), domain.c_str());
}

void installCore(FunctionTable table)
{
    const auto put = [table](unsigned id, auto* function) {
        *table[id] = reinterpret_cast<Function>(function);
    };
    put(
        kCoreMarkEx, +[](Event event) { marked(kDefault, describe(event)); });
    put(
        kCoreMarkA, +[](const char* text) { marked(kDefault, text); });
    put(
        kCoreMarkW, +[](const wchar_t* text) { marked(kDefault, narrow(text)); });
    put(
        kCoreRangeStartEx, +[](Event event) { return started(kDefault, describe(event)); });
    put(
        kCoreRangeStartA, +[](const char* text) { return started(kDefault, text); });
    put(
        kCoreRangeStartW, +[](const wchar_t* text) { return started(kDefault, narrow(text)); });
    put(
        kCoreRangeEnd, +[](std::uint64_t id) { ended(kDefault, id); });
    put(
        kCoreRangePushEx, +[](Event event) { return pushed(kDefault, describe(event)); });
    put(
        kCoreRangePushA, +[](const char* text) { return pushed(kDefault, text); });
    put(
        kCoreRangePushW, +[](const wchar_t* text) { return pushed(kDefault, narrow(text)); });
    put(
        kCoreRangePop, +[] { return popped(kDefault); });
    put(
        kCoreNameCategoryA,
        +[](std::uint32_t category, const char* text) { categoryIs(kDefault, category, text); });
    put(
        kCoreNameCategoryW,
        +[](std::uint32_t category, const wchar_t* text) { categoryIs(kDefault, category, narrow(text)); });
    put(
        kCoreNameOsThreadA, +[](std::uint32_t, const char* text) { log("tool: a thread is %s\n", text); });
    put(
        kCoreNameOsThreadW,
        +[](std::uint32_t, const wchar_t* text) { log("tool: a thread is %s\n", narrow(text).c_str()); });
}

void installCore2(FunctionTable table)
{
    constexpr unsigned kResourceCreate = 6; // nobody else hooks it
    const auto put = [table](unsigned id, auto* function) {
        *table[id] = reinterpret_cast<Function>(function);
    };
    put(
        kCore2MarkEx, +[](Handle domain, Event event) { marked(textOf(domain), describe(event)); });
    put(
        kCore2RangeStartEx,
        +[](Handle domain, Event event) { return started(textOf(domain), describe(event)); });
    put(
        kCore2RangeEnd, +[](Handle domain, std::uint64_t id) { ended(textOf(domain), id); });
    put(
        kCore2RangePushEx,
        +[](Handle domain, Event event) { return pushed(textOf(domain), describe(event)); });
    put(
        kCore2RangePop, +[](Handle domain) { return popped(textOf(domain)); });
    put(
        kResourceCreate, +[](Handle domain, const void*) -> Handle {
            log("tool: a resource in %s\n", textOf(domain).c_str());
            return reinterpret_cast<Handle>(0x7777);
        });
    put(
        kCore2NameCategoryA, +[](Handle domain, std::uint32_t category, const char* text) {
            categoryIs(textOf(domain), category, text);
        });
    put(
        kCore2NameCategoryW, +[](Handle domain, std::uint32_t category, const wchar_t* text) {
            categoryIs(textOf(domain), category, narrow(text));
        });
    put(
        kCore2RegisterStringA, +[](Handle, const char* text) { return give("string", text); });
    put(
        kCore2RegisterStringW, +[](Handle, const wchar_t* text) { return give("string", narrow(text)); });
    put(
        kCore2DomainCreateA, +[](const char* text) { return give("domain", text); });
    put(
        kCore2DomainCreateW, +[](const wchar_t* text) { return give("domain", narrow(text)); });
    put(
        kCore2DomainDestroy, +[](Handle domain) { log("tool: no more %s\n", textOf(domain).c_str()); });
}

bool is(const char* kind)
{
    const char* const value = std::getenv("NVTX_TOOL");
    return value != nullptr && std::string_view(value) == kind;
}

void putPayload(const ExtensionSegment& segment, PayloadId id, void* function)
{
    segment.slots[id] = reinterpret_cast<std::intptr_t>(function);
}
template <class F>
void* address(F* function)
{
    return reinterpret_cast<void*>(function);
}

} // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(GetExportTable getExportTable);
/// The entry of libnvToolsExt.so.1.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx(GetExportTable getExportTable)
{
    log("tool: an old client\n");
    return InitializeInjectionNvtx2(getExportTable);
}

int InitializeInjectionNvtx2(GetExportTable getExportTable)
{
    if (is("refuse")) {
        return 0;
    }
    const auto* callbacks = static_cast<const CallbackTable*>(getExportTable(kExportTableCallbacks));
    FunctionTable table = nullptr;
    unsigned size = 0;
    callbacks->getModuleFunctionTable(kModuleCore, &table, &size);
    installCore(table);
    if (!is("plain")) {
        callbacks->getModuleFunctionTable(kModuleCore2, &table, &size);
        installCore2(table);
    }
    return 1;
}

extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtxExtension(ExtensionModule* module)
{
    if (is("plain") || is("refuse") || module->moduleId != kExtensionPayload) {
        return 0;
    }
    const ExtensionSegment& segment = module->segments[0];
    putPayload(segment, kPayloadSchemaRegister,
               address(+[](Handle domain, const SchemaAttributes* schema) -> std::uint64_t {
                   log("tool: schema %llu of %zu entries in %s\n",
                       static_cast<unsigned long long>(schema->schemaId), schema->entryCount,
                       textOf(domain).c_str());
                   return schema->schemaId != 0 ? schema->schemaId : 0x100000042;
               }));
    putPayload(segment, kPayloadRangePush,
               address(+[](Handle domain, const PayloadData* data, std::size_t count) {
                   return pushed(textOf(domain),
                                 "payload " + std::to_string(data->schemaId) + " x " + std::to_string(count));
               }));
    putPayload(segment, kPayloadRangePop, address(+[](Handle domain, const PayloadData*, std::size_t) {
                   return popped(textOf(domain));
               }));
    return 1;
}
