// SPDX-License-Identifier: Apache-2.0
// A libcupti.so.13 (or FAKE_CUPTI_MAJOR) for the collector's own tests. FAKE_CUPTI makes calls fail
// ("subscribe 39", "enable 35": the function and its result), never return ("flush -1") or return a buffer
// late ("late 3": at the third flush). At the end, it prints what is still enabled.
#include "abi/cupti.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef FAKE_CUPTI_MAJOR
#define FAKE_CUPTI_TEXT(number) #number
#define FAKE_CUPTI_WORDS(number) "cupti " FAKE_CUPTI_TEXT(number)
#define FAKE_CUPTI_NAME FAKE_CUPTI_WORDS(FAKE_CUPTI_MAJOR)
#else
#define FAKE_CUPTI_NAME "cupti"
#endif

namespace {

int g_kinds = 0;
int g_subscribers = 0;
ringside::collector::cupti::BufferRequested g_request = nullptr;
ringside::collector::cupti::BufferCompleted g_complete = nullptr;
std::uint8_t* g_lateBuffer = nullptr;
int g_flushes = 0;

int answer(const char* function)
{
    const char* wish = std::getenv("FAKE_CUPTI");
    const std::size_t length = std::strlen(function);
    const bool meant = wish != nullptr && std::strncmp(wish, function, length) == 0;
    return meant ? std::atoi(wish + length) : 0;
}

__attribute__((destructor)) void tell()
{
    std::printf(FAKE_CUPTI_NAME ": %d kinds on, %d subscribers\n", g_kinds, g_subscribers);
}

} // namespace

using namespace ringside::collector::cupti;
#define FAKE_EXPORT extern "C" __attribute__((visibility("default"))) int

FAKE_EXPORT cuptiGetVersion(std::uint32_t* version)
{
    *version = 130000;
    return 0;
}
FAKE_EXPORT cuptiSubscribe(void** subscriber, Callback, void*)
{
    *subscriber = &g_subscribers;
    const int result = answer("subscribe");
    g_subscribers += result == 0 ? 1 : 0;
    return result;
}
FAKE_EXPORT cuptiUnsubscribe(void*)
{
    --g_subscribers;
    return 0;
}
FAKE_EXPORT cuptiActivityRegisterCallbacks(BufferRequested request, BufferCompleted complete)
{
    g_request = request;
    g_complete = complete;
    return 0;
}
FAKE_EXPORT cuptiActivityEnable(std::uint32_t kind)
{
    const int result = kind == kKindConcurrentKernel ? answer("enable") : 0;
    g_kinds += result == 0 ? 1 : 0;
    std::size_t bytes = 0;
    std::size_t records = 0;
    if (kind == kKindConcurrentKernel && answer("late") != 0)
        g_request(&g_lateBuffer, &bytes, &records);
    return result;
}
FAKE_EXPORT cuptiActivityDisable(std::uint32_t)
{
    g_kinds -= g_kinds > 0 ? 1 : 0;
    return 0;
}
FAKE_EXPORT cuptiActivityGetNextRecord(std::uint8_t*, std::size_t, Activity**)
{
    constexpr int kMaxLimitReached = 12;
    return kMaxLimitReached;
}
FAKE_EXPORT cuptiActivityFlushAll(std::uint32_t flag)
{
    while (answer("flush") == -1)
        usleep(10'000);
    if (g_lateBuffer != nullptr && (++g_flushes == answer("late") || flag == kFlushForced)) {
        std::printf("cupti: late buffer %s\n", flag == kFlushForced ? "forced" : "complete");
        g_complete(nullptr, 0, g_lateBuffer, 0, 0);
        g_lateBuffer = nullptr;
    }
    return 0;
}
FAKE_EXPORT cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped)
{
    *dropped = 0;
    return 0;
}
FAKE_EXPORT cuptiGetTimestamp(std::uint64_t* ns)
{
    *ns = 1;
    return 0;
}
FAKE_EXPORT cuptiGetCallbackName(std::uint32_t domain, std::uint32_t cbid, const char** name)
{
    constexpr std::array<const char*, 4> kRuntime{nullptr, "cudaLaunchKernel_v7000", "cudaGetDevice_v3020",
                                                  "cudaStreamQuery_v3020"};
    constexpr std::array<const char*, 4> kDriver{nullptr, "cuLaunchKernel", "cuMemAlloc", "cuCtxGetCurrent"};
    const auto& names = domain == kDomainRuntimeApi ? kRuntime : kDriver;
    *name = cbid < names.size() ? names[cbid] : nullptr;
    return *name != nullptr ? 0 : 1;
}
#ifndef FAKE_CUPTI_MAJOR // since 12.5
FAKE_EXPORT cuptiActivityEnableRuntimeApi(std::uint32_t cbid, std::uint8_t enable)
{
    std::printf("cupti: runtime call %u %s of %d kinds\n", cbid, enable != 0 ? "on" : "off", g_kinds);
    return 0;
}
FAKE_EXPORT cuptiActivityEnableDriverApi(std::uint32_t cbid, std::uint8_t enable)
{
    std::printf("cupti: driver call %u %s\n", cbid, enable != 0 ? "on" : "off");
    return 0;
}
#endif
FAKE_EXPORT cuptiActivityPushExternalCorrelationId(std::uint32_t, std::uint64_t)
{
    return 0;
}
FAKE_EXPORT cuptiActivityPopExternalCorrelationId(std::uint32_t, std::uint64_t*)
{
    return 0;
}
