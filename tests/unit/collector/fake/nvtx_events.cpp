// SPDX-License-Identifier: Apache-2.0
// Sends every kind of NVTX event and prints what it gets back, so that runs with another tool can be compared
// with and without the collector.
#include "api.h"
#include "nvtx_client.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>
#include <thread>

namespace {

using namespace ringside::collector::nvtx;
using ringside::test::Event;
using ringside::test::Handle;

ringside::test::NvtxClient& client()
{
    return ringside::test::NvtxClient::get();
}

std::uint32_t tid()
{
    return static_cast<std::uint32_t>(syscall(SYS_gettid));
}

void print(const char* what, std::uint64_t value)
{
    std::printf("program: %s %llx\n", what, static_cast<unsigned long long>(value));
}
/// A handle's value depends on where memory was free, unless a tool gave it.
void printHandle(const char* what, Handle handle)
{
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    constexpr std::uintptr_t kLargestNumber = 0x10000;
    print(what, value < kLargestNumber ? value : kLargestNumber);
}

EventAttributes event(MessageType type, const void* message, std::uint32_t category = 0)
{
    EventAttributes result{};
    result.version = 3;
    result.size = sizeof result;
    result.category = category;
    result.messageType = type;
    result.message = message;
    return result;
}

void defaultDomain()
{
    client().core<void>(kCoreNameCategoryA, 5U, "five");
    client().core<void>(kCoreNameCategoryW, 6U, L"six");
    client().core<void>(kCoreNameOsThreadA, tid(), "the thread that does it all");
    const EventAttributes ascii = event(kMessageAscii, "plain", 5);
    const EventAttributes wide = event(kMessageUnicode, L"wide", 6);
    print("push", static_cast<std::uint64_t>(client().core<int>(kCoreRangePushEx, Event(&ascii))));
    print("push", static_cast<std::uint64_t>(client().core<int>(kCoreRangePushA, "A")));
    print("push", static_cast<std::uint64_t>(client().core<int>(kCoreRangePushW, L"W")));
    client().core<void>(kCoreMarkEx, Event(&wide));
    client().core<void>(kCoreMarkA, "mark A");
    client().core<void>(kCoreMarkW, L"mark W");
    for (int range = 0; range < 3; ++range) {
        print("pop", static_cast<std::uint64_t>(client().core<int>(kCoreRangePop)));
    }
    const std::uint64_t ids[] = {client().core<std::uint64_t>(kCoreRangeStartEx, Event(&ascii)),
                                 client().core<std::uint64_t>(kCoreRangeStartA, "start A"),
                                 client().core<std::uint64_t>(kCoreRangeStartW, L"start W")};
    for (const std::uint64_t id : ids) {
        print("range", id);
    }
    std::thread([&ids] {
        client().core<void>(kCoreNameOsThreadW, tid(), L"the other thread");
        for (const std::uint64_t id : ids) {
            client().core<void>(kCoreRangeEnd, id);
        }
    }).join();
}

void ownDomain()
{
    constexpr unsigned kResourceCreate = 6;
    auto* const domain = client().core2<Handle>(kCore2DomainCreateA, "mine");
    auto* const wide = client().core2<Handle>(kCore2DomainCreateW, L"wide domain");
    auto* const text = client().core2<Handle>(kCore2RegisterStringA, domain, "registered");
    auto* const wideText = client().core2<Handle>(kCore2RegisterStringW, wide, L"wide registered");
    printHandle("domain", domain);
    printHandle("domain", wide);
    printHandle("string", text);
    printHandle("string", wideText);
    client().core2<void>(kCore2NameCategoryA, domain, 7U, "seven");
    client().core2<void>(kCore2NameCategoryW, wide, 8U, L"eight");
    printHandle("resource",
                client().core2<Handle>(kResourceCreate, domain, static_cast<const void*>(nullptr)));
    EventAttributes registered = event(kMessageRegistered, text, 7);
    registered.payloadType = 1;
    registered.payload = 42;
    const EventAttributes other = event(kMessageRegistered, wideText, 8);
    print("push",
          static_cast<std::uint64_t>(client().core2<int>(kCore2RangePushEx, domain, Event(&registered))));
    print("push", static_cast<std::uint64_t>(client().core2<int>(kCore2RangePushEx, wide, Event(&other))));
    client().core2<void>(kCore2MarkEx, domain, Event(&other));
    print("pop", static_cast<std::uint64_t>(client().core2<int>(kCore2RangePop, wide)));
    print("pop", static_cast<std::uint64_t>(client().core2<int>(kCore2RangePop, domain)));
    const auto id = client().core2<std::uint64_t>(kCore2RangeStartEx, domain, Event(&registered));
    print("range", id);
    client().core2<void>(kCore2RangeEnd, domain, id);
    client().core2<void>(kCore2DomainDestroy, wide);
}

void payloads()
{
    auto* const domain = client().core2<Handle>(kCore2DomainCreateA, "carrying");
    constexpr std::uint64_t kUint64 = 18;
    const SchemaEntry entry{0, kUint64, "a number", nullptr, 0, 0, nullptr, nullptr};
    SchemaAttributes schema{};
    schema.fieldMask = kSchemaHasType | kSchemaHasEntries | kSchemaHasCount | kSchemaHasSize;
    schema.type = kSchemaStatic;
    schema.entries = &entry;
    schema.entryCount = 1;
    schema.payloadBytes = sizeof(std::uint64_t);
    const auto id = client().payload<std::uint64_t>(kPayloadSchemaRegister, domain,
                                                    static_cast<const SchemaAttributes*>(&schema));
    print("schema", id);
    const std::uint64_t value = 4711;
    const PayloadData data{id, sizeof value, &value};
    EventAttributes carrying = event(kMessageAscii, "with a payload");
    carrying.payloadType = kPayloadExtension;
    carrying.reserved0 = 1;
    carrying.payload = reinterpret_cast<std::uintptr_t>(&data);
    print("push",
          static_cast<std::uint64_t>(client().core2<int>(kCore2RangePushEx, domain, Event(&carrying))));
    const auto* const first = &data;
    print("push", static_cast<std::uint64_t>(
                      client().payload<int>(kPayloadRangePush, domain, first, std::size_t{1})));
    print("pop",
          static_cast<std::uint64_t>(client().payload<int>(kPayloadRangePop, domain, first, std::size_t{1})));
    print("pop",
          static_cast<std::uint64_t>(client().payload<int>(kPayloadRangePop, domain, first, std::size_t{1})));
}

// More than there is room for, on both ways.
void tooMany()
{
    for (int range = 0; range < 70; ++range) {
        client().core<int>(kCoreRangePushA, "deep");
    }
    for (int range = 0; range < 70; ++range) {
        client().core<int>(kCoreRangePop);
    }
    for (int range = 0; range < 5000; ++range) {
        client().core<std::uint64_t>(kCoreRangeStartA, "never ended");
    }
    client().core<int>(kCoreRangePushA, "afterwards");
    client().core<int>(kCoreRangePop);
}

} // namespace

int main(int argc, char** argv)
{
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    cudaDeviceSynchronize(); // a recording has begun
    if (argc > 1 && std::string_view(argv[1]) == "too_many") {
        tooMany();
        return 0;
    }
    defaultDomain();
    ownDomain();
    payloads();
    return 0;
}
