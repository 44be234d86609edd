// SPDX-License-Identifier: Apache-2.0
// The emulated CUPTI: records, their correlation, buffers and the single subscriber.
#include "kernels.h"
#include "platform.h"

#include <cupti.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

using namespace ringside::test;

// What came back from CUPTI, copied out of its buffers in order.
struct Received {
    std::mutex mutex;
    std::vector<CUpti_ActivityKernel10> kernels;
    std::vector<CUpti_ActivityMemcpy6> copies;
    std::vector<CUpti_ActivityMemset4> sets;
    std::vector<CUpti_ActivityAPI> calls;
    std::vector<CUpti_ActivityExternalCorrelation> externals;
    std::vector<CUpti_ActivityKind> order;
    int buffers = 0;
};
Received received;
std::size_t bufferSize = 1 << 16;

void take(const CUpti_Activity* record)
{
    received.order.push_back(record->kind);
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return received.kernels.push_back(*reinterpret_cast<const CUpti_ActivityKernel10*>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        return received.copies.push_back(*reinterpret_cast<const CUpti_ActivityMemcpy6*>(record));
    case CUPTI_ACTIVITY_KIND_MEMSET:
        return received.sets.push_back(*reinterpret_cast<const CUpti_ActivityMemset4*>(record));
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
        return received.calls.push_back(*reinterpret_cast<const CUpti_ActivityAPI*>(record));
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        return received.externals.push_back(
            *reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(record));
    default:
        ADD_FAILURE() << "unexpected kind " << record->kind;
    }
}

void giveBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records)
{
    *buffer = bufferSize == 0 ? nullptr : static_cast<std::uint8_t*>(std::aligned_alloc(8, bufferSize));
    *size = bufferSize;
    *records = 0;
}

void takeBuffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t used)
{
    const std::lock_guard lock(received.mutex);
    ++received.buffers;
    CUpti_Activity* record = nullptr;
    while (cuptiActivityGetNextRecord(buffer, used, &record) == CUPTI_SUCCESS)
        take(record);
    std::free(buffer);
}

constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                         CUPTI_ACTIVITY_KIND_MEMCPY,
                                         CUPTI_ACTIVITY_KIND_MEMSET,
                                         CUPTI_ACTIVITY_KIND_RUNTIME,
                                         CUPTI_ACTIVITY_KIND_DRIVER,
                                         CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};

struct CuptiTest : testing::Test {
    CuptiTest()
    {
        cudaMalloc(&onDevice, 4096);
        cudaMallocHost(&pinned, 4096);
        cuptiActivityRegisterCallbacks(giveBuffer, takeBuffer);
        cuptiActivityFlushAll(1);
        clear();
        for (const CUpti_ActivityKind kind : kKinds)
            EXPECT_EQ(cuptiActivityEnable(kind), CUPTI_SUCCESS);
    }
    ~CuptiTest() override
    {
        cuptiFinalize();
        cudaFree(onDevice);
        cudaFreeHost(pinned);
    }
    static void clear()
    {
        const std::lock_guard lock(received.mutex);
        received.kernels.clear();
        received.copies.clear();
        received.sets.clear();
        received.calls.clear();
        received.externals.clear();
        received.order.clear();
        received.buffers = 0;
    }
    static const CUpti_ActivityAPI* callOf(std::uint32_t cbid)
    {
        for (const CUpti_ActivityAPI& call : received.calls)
            if (call.cbid == cbid)
                return &call;
        return nullptr;
    }

    float* onDevice = nullptr;
    float* pinned = nullptr;
};

TEST_F(CuptiTest, deviceWorkCarriesTheCorrelationOfItsCall)
{
    launchScale(onDevice, 2, 8, nullptr);
    cudaMemcpyAsync(pinned, onDevice, 64, cudaMemcpyDeviceToHost, nullptr);
    cudaMemsetAsync(onDevice, 0, 128, nullptr);
    cudaDeviceSynchronize();
    ASSERT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);

    ASSERT_EQ(received.kernels.size(), 1U);
    ASSERT_EQ(received.copies.size(), 1U);
    ASSERT_EQ(received.sets.size(), 1U);
    const CUpti_ActivityAPI* launch = callOf(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
    const CUpti_ActivityAPI* copy = callOf(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020);
    const CUpti_ActivityAPI* set = callOf(CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020);
    ASSERT_TRUE(launch != nullptr && copy != nullptr && set != nullptr);
    EXPECT_EQ(received.kernels[0].correlationId, launch->correlationId);
    EXPECT_EQ(received.copies[0].correlationId, copy->correlationId);
    EXPECT_EQ(received.sets[0].correlationId, set->correlationId);
    EXPECT_STREQ(received.kernels[0].name, "scale");
    EXPECT_EQ(received.kernels[0].streamId, 7U);
    EXPECT_EQ(received.kernels[0].gridX, 1);
    EXPECT_EQ(received.kernels[0].blockX, 256);
    EXPECT_EQ(received.kernels[0].graphNodeId, 0U);
    EXPECT_EQ(received.copies[0].bytes, 64U);
    EXPECT_EQ(received.copies[0].copyKind, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
    EXPECT_EQ(received.sets[0].bytes, 128U);
    EXPECT_LE(launch->start, launch->end);
    EXPECT_LE(received.kernels[0].start, received.kernels[0].end);
}

TEST_F(CuptiTest, librariesLaunchThroughTheDriver)
{
    const ringside::platform::Work work{.name = "collective", .run = [](void*, bool) {}};
    cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 7);
    EXPECT_EQ(ringside_platform_enqueue(nullptr, &work), 0);
    cuptiActivityDisable(CUPTI_ACTIVITY_KIND_DRIVER);
    EXPECT_EQ(ringside_platform_enqueue(nullptr, &work), 0);
    std::uint64_t last = 0;
    cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
    cudaDeviceSynchronize();
    cuptiActivityFlushAll(0);

    constexpr std::uint32_t kLaunch = 652; // CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx
    ASSERT_EQ(received.kernels.size(), 2U);
    const CUpti_ActivityAPI* launch = callOf(kLaunch);
    ASSERT_NE(launch, nullptr);
    EXPECT_EQ(launch->kind, CUPTI_ACTIVITY_KIND_DRIVER);
    EXPECT_EQ(launch->correlationId, received.kernels[0].correlationId);
    ASSERT_EQ(received.externals.size(), 1U);
    EXPECT_EQ(received.externals[0].correlationId, launch->correlationId);
    EXPECT_EQ(std::count_if(received.calls.begin(), received.calls.end(),
                            [](const CUpti_ActivityAPI& call) { return call.cbid == kLaunch; }),
              1);
    const char* name = nullptr;
    EXPECT_EQ(cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, kLaunch, &name), CUPTI_SUCCESS);
    EXPECT_STREQ(name, "cuLaunchKernelEx");
}

TEST_F(CuptiTest, workOfAStreamNeverOverlaps)
{
    for (int i = 0; i < 1000; ++i)
        launchScale(onDevice, 1, 8, nullptr);
    cudaDeviceSynchronize();
    cuptiActivityFlushAll(0);
    ASSERT_EQ(received.kernels.size(), 1000U);
    std::uint64_t last = 0;
    for (const CUpti_ActivityKernel10& kernel : received.kernels) {
        ASSERT_GE(kernel.start, last);
        ASSERT_GE(kernel.end, kernel.start);
        last = kernel.end;
    }
}

TEST_F(CuptiTest, externalIdsComeBeforeTheCallTheyBelongTo)
{
    cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 41);
    cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 42);
    launchScale(onDevice, 2, 8, nullptr);
    std::uint64_t last = 0;
    EXPECT_EQ(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last),
              CUPTI_SUCCESS);
    EXPECT_EQ(last, 42U);
    EXPECT_EQ(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last),
              CUPTI_SUCCESS);
    EXPECT_EQ(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last),
              CUPTI_ERROR_QUEUE_EMPTY);
    cudaDeviceSynchronize();
    cuptiActivityFlushAll(0);

    ASSERT_EQ(received.externals.size(), 1U);
    EXPECT_EQ(received.externals[0].externalId, 42U);
    EXPECT_EQ(received.externals[0].correlationId, received.kernels.at(0).correlationId);
    EXPECT_EQ(received.order.at(0), CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
}

TEST_F(CuptiTest, fullBuffersComeBackAndNothingIsLost)
{
    bufferSize = 1024;
    for (int i = 0; i < 500; ++i)
        launchScale(onDevice, 1, 8, nullptr);
    cudaDeviceSynchronize();
    cuptiActivityFlushAll(0);
    bufferSize = 1 << 16;
    const std::lock_guard lock(received.mutex);
    EXPECT_EQ(received.kernels.size(), 500U);
    EXPECT_GT(received.buffers, 100);
    std::size_t dropped = 1;
    EXPECT_EQ(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), CUPTI_SUCCESS);
    EXPECT_EQ(dropped, 0U);
}

TEST_F(CuptiTest, recordsWithoutABufferAreCountedAsDropped)
{
    bufferSize = 0;
    launchScale(onDevice, 1, 8, nullptr);
    cudaDeviceSynchronize();
    bufferSize = 1 << 16;
    std::size_t dropped = 0;
    cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
    EXPECT_EQ(dropped, 3U); // launch, kernel, synchronisation
}

TEST_F(CuptiTest, chosenFunctionsAreRecordedWithoutTheirKind)
{
    cuptiActivityDisable(CUPTI_ACTIVITY_KIND_RUNTIME);
    cuptiActivityEnableRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, 1);
    launchScale(onDevice, 1, 8, nullptr);
    cudaDeviceSynchronize();
    cuptiActivityFlushAll(0);
    ASSERT_EQ(received.calls.size(), 1U);
    EXPECT_EQ(received.calls[0].cbid, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
}

TEST_F(CuptiTest, aKindThatIsEnabledAgainHasAllItsFunctions)
{
    int device = 0;
    cuptiActivityEnableRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, 0);
    cudaGetDevice(&device);
    cuptiActivityFlushAll(0);
    EXPECT_EQ(received.calls.size(), 0U);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME);
    cudaGetDevice(&device);
    cuptiActivityFlushAll(0);
    EXPECT_EQ(received.calls.size(), 1U);
}

TEST_F(CuptiTest, kindsWithoutRecordsAreRefused)
{
    EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION), CUPTI_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_OVERHEAD), CUPTI_SUCCESS);
}

TEST(Cupti, hasOneSubscriberAndReportsItsNameToTheNext)
{
    CUpti_SubscriberHandle first = nullptr;
    CUpti_SubscriberHandle second = nullptr;
    char holder[64] = "";
    CUpti_SubscriberParams parameters{sizeof parameters, "first tool", nullptr, 0};
    ASSERT_EQ(cuptiSubscribe_v2(&first, nullptr, nullptr, &parameters), CUPTI_SUCCESS);
    parameters = {sizeof parameters, "second tool", holder, sizeof holder};
    EXPECT_EQ(cuptiSubscribe_v2(&second, nullptr, nullptr, &parameters),
              CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    EXPECT_STREQ(holder, "first tool");
    EXPECT_EQ(cuptiSubscribe(&second, nullptr, nullptr), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    EXPECT_EQ(cuptiUnsubscribe(first), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiSubscribe(&second, nullptr, nullptr), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiUnsubscribe(second), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiUnsubscribe(second), CUPTI_ERROR_INVALID_PARAMETER);
}

TEST(Cupti, namesTheFunctionsItNumbers)
{
    const char* name = nullptr;
    EXPECT_EQ(cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API,
                                   CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, &name),
              CUPTI_SUCCESS);
    EXPECT_STREQ(name, "cudaMemcpyAsync_v3020");
    std::uint32_t version = 0;
    EXPECT_EQ(cuptiGetVersion(&version), CUPTI_SUCCESS);
    EXPECT_EQ(version, 130001U);
}

TEST(Cupti, itsRecordsHaveTheSizesOfCuda13)
{
    EXPECT_EQ(sizeof(CUpti_ActivityKernel10), 216U);
    EXPECT_EQ(sizeof(CUpti_ActivityMemcpy6), 96U);
    EXPECT_EQ(sizeof(CUpti_ActivityMemset4), 88U);
    EXPECT_EQ(sizeof(CUpti_ActivityAPI), 40U);
}

} // namespace
