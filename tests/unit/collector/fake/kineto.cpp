// SPDX-License-Identifier: Apache-2.0
#include "kineto.h"

#include <cupti.h>
#include <time.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

extern "C" { // CUDA 13.2
CUptiResult
cuptiActivityRegisterCallbacks_v2(CUpti_SubscriberHandle subscriber,
                                  void (*requested)(std::uint8_t**, std::size_t*, std::size_t*, void*),
                                  void (*completed)(std::uint8_t*, std::size_t, std::size_t, void*));
CUptiResult cuptiActivityEnable_v2(CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void*);
CUptiResult cuptiActivityDisable_v2(CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void*);
}

namespace {

constexpr std::size_t kBufferBytes = 4096; // so small that many change hands
constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
                                         CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_RUNTIME};

std::mutex g_mutex;
std::set<std::uint8_t*> g_buffers; // that CUPTI has
int g_kernels = 0;
int g_copies = 0;
int g_sets = 0;
int g_strange = 0;           // buffers that it never gave
int g_outside = 0;           // records of another time than its own
bool g_ofSubscriber = false; // uses the _v2 functions
bool g_subscribed = false;
bool g_gaveUp = false;
CUpti_SubscriberHandle g_subscriber = nullptr;
std::uint64_t g_startNs = 0;

std::uint64_t ownTime()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec) +
           7;
}

std::uint64_t timeNow()
{
    std::uint64_t now = 0;
    cuptiGetTimestamp(&now);
    return now;
}

template <class Record>
void count(const CUpti_Activity& activity, int& records)
{
    Record record{};
    std::memcpy(&record, &activity, sizeof record);
    ++records;
    g_outside += record.start < g_startNs || record.end > timeNow() ? 1 : 0;
}

void countRecord(const CUpti_Activity& record)
{
    if (record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        count<CUpti_ActivityKernel10>(record, g_kernels);
    else if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY)
        count<CUpti_ActivityMemcpy6>(record, g_copies);
    else if (record.kind == CUPTI_ACTIVITY_KIND_MEMSET)
        count<CUpti_ActivityMemset4>(record, g_sets);
}

void request(std::uint8_t** buffer, std::size_t* size, std::size_t* records)
{
    const std::lock_guard lock(g_mutex);
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
    g_buffers.insert(*buffer);
    *size = kBufferBytes;
    *records = 0;
}

void complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t validSize)
{
    const std::lock_guard lock(g_mutex);
    if (g_buffers.erase(buffer) == 0) {
        ++g_strange;
        return;
    }
    for (CUpti_Activity* record = nullptr;
         validSize != 0 && cuptiActivityGetNextRecord(buffer, validSize, &record) == CUPTI_SUCCESS;)
        countRecord(*record);
    std::free(buffer);
}

void requestV2(std::uint8_t** buffer, std::size_t* size, std::size_t* records, void*)
{
    request(buffer, size, records);
}

void completeV2(std::uint8_t* buffer, std::size_t size, std::size_t validSize, void*)
{
    complete(nullptr, 0, buffer, size, validSize);
}

void subscribeOnce()
{
    if (g_subscribed || g_gaveUp)
        return;
    // As CUDA 13.2 has it: one member more than the older headers know.
    struct {
        CUpti_SubscriberParams older;
        std::uint8_t allowMultipleSubscribers;
    } parameters{};
    parameters.older.structSize = sizeof parameters;
    parameters.older.subscriberName = "neighbour";
    parameters.allowMultipleSubscribers = 1;
    const CUptiResult result = g_ofSubscriber ? cuptiSubscribe_v2(
                                                    &g_subscriber, [](auto...) {}, nullptr, &parameters.older)
                                              : cuptiSubscribe(
                                                    &g_subscriber, [](auto...) {}, nullptr);
    g_gaveUp = result != CUPTI_SUCCESS;
    g_subscribed = !g_gaveUp;
    if (g_gaveUp)
        std::printf("neighbour: gives up for good, subscribing failed with %d\n", result);
}

} // namespace

void kinetoStart(const char* kind)
{
    g_ofSubscriber = std::strcmp(kind, "of_subscriber") == 0;
    if (g_ofSubscriber || std::strcmp(kind, "older") == 0)
        subscribeOnce();
    else if (const CUptiResult result = cuptiActivityRegisterTimestampCallback(&ownTime); result != 0)
        std::printf("neighbour: no clock of its own: %d\n", result);
    if (g_gaveUp)
        return;
    g_kernels = g_copies = g_sets = 0;
    g_startNs = timeNow();
    const CUptiResult registered =
        g_ofSubscriber ? cuptiActivityRegisterCallbacks_v2(g_subscriber, &requestV2, &completeV2)
                       : cuptiActivityRegisterCallbacks(&request, &complete);
    int failed = registered != CUPTI_SUCCESS ? 1 : 0;
    for (const CUpti_ActivityKind each : kKinds) {
        const CUptiResult enabled =
            g_ofSubscriber ? cuptiActivityEnable_v2(g_subscriber, each, nullptr) : cuptiActivityEnable(each);
        failed += enabled != CUPTI_SUCCESS ? 1 : 0;
    }
    if (failed != 0)
        std::printf("neighbour: %d calls failed\n", failed);
}

void kinetoStop()
{
    for (const CUpti_ActivityKind kind : kKinds)
        g_ofSubscriber ? cuptiActivityDisable_v2(g_subscriber, kind, nullptr) : cuptiActivityDisable(kind);
    cuptiActivityFlushAll(0);
    const std::lock_guard lock(g_mutex);
    std::printf("neighbour: %d kernels, %d copies, %d sets; %d strange buffers, %d at strange times\n",
                g_kernels, g_copies, g_sets, g_strange, g_outside);
}

void kinetoEnd()
{
    if (g_subscribed)
        cuptiUnsubscribe(g_subscriber);
    g_subscribed = false;
}
