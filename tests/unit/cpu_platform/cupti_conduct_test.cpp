// SPDX-License-Identifier: Apache-2.0
// What the emulated CUPTI does on request (RINGSIDE_PLATFORM_CUPTI). It reads its settings once, so every
// case is a child process; this one never touches CUDA itself, since its children could not then.
#include "kernels.h"

#include <cupti.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <mutex>
#include <vector>

namespace {

using namespace ringside::test;

// Runs `body` with the setting in a child, where EXPECT and ASSERT work as usual.
template <class Body>
void with(const char* setting, Body&& body)
{
    const pid_t child = fork();
    if (child == 0) {
        setenv("RINGSIDE_PLATFORM_CUPTI", setting, 1);
        body();
        std::cout.flush();
        std::fflush(nullptr);
        _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "with RINGSIDE_PLATFORM_CUPTI=" << setting;
}

struct Record {
    CUpti_ActivityKind kind;
    std::size_t size; ///< up to the next record or the end of what is valid
    CUpti_ActivityKernel10 kernel;
    CUpti_ActivityMemcpy6 copy;
    CUpti_ActivityMemset4 set;
};
std::mutex recordsMutex;
std::vector<Record> records;
std::size_t bufferSize = 1 << 16;

void giveBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most)
{
    *buffer = bufferSize == 0 ? nullptr : static_cast<std::uint8_t*>(std::aligned_alloc(8, bufferSize));
    *size = bufferSize;
    *most = 0;
}

// Copies what there is of a record into the newest layout.
template <class Newest>
Newest widened(const std::uint8_t* record, std::size_t size)
{
    Newest newest{};
    std::memcpy(&newest, record, std::min(size, sizeof newest));
    return newest;
}

void take(const std::uint8_t* record, std::size_t size)
{
    records.push_back({reinterpret_cast<const CUpti_Activity*>(record)->kind, size,
                       widened<CUpti_ActivityKernel10>(record, size),
                       widened<CUpti_ActivityMemcpy6>(record, size),
                       widened<CUpti_ActivityMemset4>(record, size)});
}

void takeBuffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t used)
{
    const std::lock_guard lock(recordsMutex);
    CUpti_Activity* record = nullptr;
    std::vector<std::uint8_t*> begins;
    while (cuptiActivityGetNextRecord(buffer, used, &record) == CUPTI_SUCCESS)
        begins.push_back(reinterpret_cast<std::uint8_t*>(record));
    begins.push_back(buffer + used);
    for (std::size_t i = 0; i + 1 < begins.size(); ++i)
        take(begins[i], static_cast<std::size_t>(begins[i + 1] - begins[i]));
    std::free(buffer);
}

const Record* find(CUpti_ActivityKind kind)
{
    for (const Record& record : records)
        if (record.kind == kind)
            return &record;
    return nullptr;
}

std::size_t count(CUpti_ActivityKind kind)
{
    std::size_t found = 0;
    for (const Record& record : records)
        found += record.kind == kind ? 1 : 0;
    return found;
}

std::size_t takeDropped()
{
    std::size_t dropped = 0;
    EXPECT_EQ(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), CUPTI_SUCCESS);
    return dropped;
}

constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                         CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_RUNTIME,
                                         CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};

void enableAll()
{
    ASSERT_EQ(cuptiActivityRegisterCallbacks(giveBuffer, takeBuffer), CUPTI_SUCCESS);
    for (const CUpti_ActivityKind kind : kKinds)
        ASSERT_EQ(cuptiActivityEnable(kind), CUPTI_SUCCESS);
}

// One kernel, copy and set, the launch with an external id.
void work(float* device)
{
    float host[16] = {};
    cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 7);
    launchScale(device, 2, 8, nullptr);
    std::uint64_t last = 0;
    cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
    cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDeviceToHost, nullptr);
    cudaMemsetAsync(device, 0, 32, nullptr);
    cudaDeviceSynchronize();
}

float* deviceMemory()
{
    float* device = nullptr;
    EXPECT_EQ(cudaMalloc(&device, 4096), cudaSuccess);
    return device;
}

struct Generation {
    const char* setting;
    std::uint32_t version;
    std::map<CUpti_ActivityKind, std::size_t> sizes;
};
// As CUDA's own headers have them: CUpti_ActivityKernel5, 8, 9, 9, 10 and their contemporaries.
const std::vector<Generation> kGenerations = {{"cuda=11.0",
                                               13,
                                               {{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 160},
                                                {CUPTI_ACTIVITY_KIND_MEMCPY, 72},
                                                {CUPTI_ACTIVITY_KIND_MEMSET, 72}}},
                                              {"cuda=11.8",
                                               18,
                                               {{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 200},
                                                {CUPTI_ACTIVITY_KIND_MEMCPY, 88},
                                                {CUPTI_ACTIVITY_KIND_MEMSET, 88}}},
                                              {"cuda=12.0",
                                               19,
                                               {{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 208},
                                                {CUPTI_ACTIVITY_KIND_MEMCPY, 88},
                                                {CUPTI_ACTIVITY_KIND_MEMSET, 88}}},
                                              {"cuda=12.8",
                                               26,
                                               {{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 208},
                                                {CUPTI_ACTIVITY_KIND_MEMCPY, 96},
                                                {CUPTI_ACTIVITY_KIND_MEMSET, 88}}},
                                              {"cuda=13.0",
                                               130001,
                                               {{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 216},
                                                {CUPTI_ACTIVITY_KIND_MEMCPY, 96},
                                                {CUPTI_ACTIVITY_KIND_MEMSET, 88}}}};

TEST(CuptiConduct, emitsTheRecordsOfEachGeneration)
{
    for (const Generation& generation : kGenerations)
        with(generation.setting, [&] {
            std::uint32_t version = 0;
            EXPECT_EQ(cuptiGetVersion(&version), CUPTI_SUCCESS);
            EXPECT_EQ(version, generation.version);
            float* device = deviceMemory();
            enableAll();
            work(device);
            cuptiActivityFlushAll(0);
            for (const auto& [kind, size] : generation.sizes) {
                ASSERT_NE(find(kind), nullptr) << kind;
                EXPECT_EQ(find(kind)->size, size) << kind;
            }
            EXPECT_EQ(find(CUPTI_ACTIVITY_KIND_RUNTIME)->size, 40U);
            EXPECT_EQ(find(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)->size, 24U);
            const CUpti_ActivityKernel10& kernel = find(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)->kernel;
            EXPECT_STREQ(kernel.name, "scale");
            EXPECT_EQ(kernel.blockX, 256);
            EXPECT_EQ(kernel.gridX, 1);
            EXPECT_EQ(kernel.blockZ, 1);
            EXPECT_EQ(kernel.registersPerThread, 32);
            EXPECT_EQ(kernel.staticSharedMemory, 0);
            EXPECT_EQ(kernel.dynamicSharedMemory, 0);
            EXPECT_LE(kernel.start, kernel.end);
            EXPECT_GT(kernel.start, 0U);
            EXPECT_EQ(find(CUPTI_ACTIVITY_KIND_MEMCPY)->copy.bytes, 64U);
            EXPECT_EQ(find(CUPTI_ACTIVITY_KIND_MEMSET)->set.bytes, 32U);
        });
}

TEST(CuptiConduct, anotherToolHoldsTheSubscription)
{
    with("held", [] {
        CUpti_SubscriberHandle subscriber = nullptr;
        EXPECT_EQ(cuptiSubscribe(&subscriber, nullptr, nullptr),
                  CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
        char holder[64] = "";
        CUpti_SubscriberParams parameters{sizeof parameters, "mine", holder, sizeof holder};
        EXPECT_EQ(cuptiSubscribe_v2(&subscriber, nullptr, nullptr, &parameters),
                  CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
        EXPECT_STREQ(holder, "another tool");
        EXPECT_EQ(subscriber, nullptr);
    });
}

// What the library of CUDA 13.0 answers on a machine without a driver.
TEST(CuptiConduct, refusesAllButAFewCallsWithoutADriver)
{
    with("no_driver", [] {
        std::uint32_t version = 0;
        std::uint64_t ns = 0;
        const char* name = nullptr;
        CUpti_SubscriberHandle subscriber = nullptr;
        EXPECT_EQ(cuptiGetVersion(&version), CUPTI_SUCCESS);
        EXPECT_EQ(cuptiGetTimestamp(&ns), CUPTI_SUCCESS);
        EXPECT_EQ(cuptiActivityRegisterCallbacks(giveBuffer, takeBuffer), CUPTI_SUCCESS);
        EXPECT_EQ(takeDropped(), 0U);
        EXPECT_EQ(cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API,
                                       CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, &name),
                  CUPTI_SUCCESS);
        EXPECT_EQ(cuptiFinalize(), CUPTI_SUCCESS);
        EXPECT_EQ(cuptiSubscribe(&subscriber, nullptr, nullptr), CUPTI_ERROR_UNKNOWN);
        EXPECT_EQ(cuptiUnsubscribe(subscriber), CUPTI_ERROR_INVALID_PARAMETER);
        EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), CUPTI_ERROR_UNKNOWN);
        EXPECT_EQ(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), CUPTI_ERROR_UNKNOWN);
        EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_ERROR_UNKNOWN);
        EXPECT_EQ(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 1),
                  CUPTI_ERROR_UNKNOWN);
        EXPECT_EQ(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &ns),
                  CUPTI_ERROR_UNKNOWN);
    });
}

TEST(CuptiConduct, recordsDeviceWorkWithoutTimes)
{
    with("zero_times,cuda=12.8", [] {
        float* device = deviceMemory();
        enableAll();
        work(device);
        cuptiActivityFlushAll(0);
        ASSERT_NE(find(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), nullptr);
        const CUpti_ActivityKernel10& kernel = find(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)->kernel;
        EXPECT_EQ(kernel.start, 0U);
        EXPECT_EQ(kernel.end, 0U);
        EXPECT_EQ(kernel.completed, 0U);
        EXPECT_NE(kernel.correlationId, 0U);
        EXPECT_EQ(find(CUPTI_ACTIVITY_KIND_MEMCPY)->copy.start, 0U);
        EXPECT_EQ(find(CUPTI_ACTIVITY_KIND_MEMSET)->set.end, 0U);
    });
}

TEST(CuptiConduct, dropsAndCountsDeviceWorkBeyondItsRoom)
{
    with("room=2", [] {
        float* device = deviceMemory();
        enableAll();
        work(device); // a kernel and a copy find room, the set does not
        EXPECT_EQ(takeDropped(), 1U);
        cuptiActivityFlushAll(0);
        EXPECT_EQ(count(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), 1U);
        EXPECT_EQ(count(CUPTI_ACTIVITY_KIND_MEMCPY), 1U);
        EXPECT_EQ(count(CUPTI_ACTIVITY_KIND_MEMSET), 0U);
        EXPECT_EQ(count(CUPTI_ACTIVITY_KIND_RUNTIME), 4U); // calls are not the device's
        work(device);
        EXPECT_EQ(takeDropped(), 1U); // a flush made room, and reading the count set it back
        EXPECT_EQ(takeDropped(), 0U);
    });
}

// The client's fault and not a wish: buffers too small for some records or for all.
TEST(CuptiConduct, countsExactlyWhatTooSmallABufferCannotHold)
{
    with("", [] {
        float* device = deviceMemory();
        bufferSize = 104; // a call or an external id fits, a kernel does not
        enableAll();
        launchScale(device, 2, 8, nullptr);
        cudaDeviceSynchronize();
        EXPECT_EQ(takeDropped(), 1U);
        bufferSize = 1 << 16;
        launchScale(device, 2, 8, nullptr);
        cudaDeviceSynchronize();
        cuptiActivityFlushAll(0);
        EXPECT_EQ(takeDropped(), 0U);
        EXPECT_EQ(count(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), 1U);
        EXPECT_EQ(count(CUPTI_ACTIVITY_KIND_RUNTIME), 4U);
    });
}

TEST(CuptiConduct, anUnknownWordIsAnErrorThatNamesIt)
{
    testing::internal::CaptureStderr();
    with("zero_times,zero_tines", [] {
        EXPECT_EQ(cuptiActivityRegisterCallbacks(giveBuffer, takeBuffer), CUPTI_ERROR_NOT_INITIALIZED);
        EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY), CUPTI_ERROR_NOT_INITIALIZED);
    });
    with("cuda=10.2", [] { EXPECT_EQ(cuptiFinalize(), CUPTI_ERROR_NOT_INITIALIZED); });
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("'zero_tines'"), std::string::npos) << said;
    EXPECT_NE(said.find("'cuda=10.2'"), std::string::npos) << said;
    EXPECT_NE(said.find("11.0|11.8|12.0|12.8|13.0"), std::string::npos) << said;
}

} // namespace
