// SPDX-License-Identifier: Apache-2.0
// Streams, events and host functions of the emulated runtime.
#include "gate.h"
#include "kernels.h"
#include "platform.h"

#include <gtest/gtest.h>

#include <latch>
#include <vector>

using ringside::test::Gate;

namespace {

struct StreamTest : testing::Test {
    StreamTest()
    {
        cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    }
    ~StreamTest() override
    {
        cudaStreamDestroy(first);
        cudaStreamDestroy(second);
        cudaGetLastError();
    }
    // Appends `value` to the order when the stream gets there.
    void note(cudaStream_t stream, int value)
    {
        struct Note {
            StreamTest* test;
            int value;
        };
        cudaLaunchHostFunc(
            stream,
            [](void* argument) {
                const std::unique_ptr<Note> noted(static_cast<Note*>(argument));
                noted->test->order.push_back(noted->value);
            },
            new Note{this, value});
    }

    cudaStream_t first = nullptr;
    cudaStream_t second = nullptr;
    std::vector<int> order;
};

TEST_F(StreamTest, runsWorkInTheOrderOfTheCalls)
{
    for (int i = 0; i < 100; ++i)
        note(first, i);
    ASSERT_EQ(cudaStreamSynchronize(first), cudaSuccess);
    ASSERT_EQ(order.size(), 100U);
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST_F(StreamTest, streamsDoNotWaitForEachOther)
{
    const Gate gate(first);
    note(second, 1);
    EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(first), cudaErrorNotReady);
    EXPECT_EQ(order, std::vector<int>{1});
}

TEST_F(StreamTest, kernelsOfTwoStreamsRunAtTheSameTime)
{
    std::latch both(2); // hangs unless each kernel runs while the other does
    const ringside::platform::Work work{
        .name = "meets",
        .run = [](void* latch, bool) { static_cast<std::latch*>(latch)->arrive_and_wait(); },
        .arg = &both,
        .arithmetic = true};
    EXPECT_EQ(ringside_platform_enqueue(first, &work), cudaSuccess);
    EXPECT_EQ(ringside_platform_enqueue(second, &work), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(StreamTest, declaredTimesOfShortWorkAddUpWithoutAModelToo)
{
    constexpr int kCount = 100;
    const ringside::platform::Work work{
        .name = "short", .run = [](void*, bool) {}, .cost = {.minimumNs = 100'000}, .arithmetic = true};
    cudaEvent_t events[2] = {};
    for (cudaEvent_t& event : events)
        cudaEventCreate(&event);
    cudaEventRecord(events[0], first);
    for (int i = 0; i < kCount; ++i)
        EXPECT_EQ(ringside_platform_enqueue(first, &work), cudaSuccess);
    cudaEventRecord(events[1], first);
    EXPECT_EQ(cudaEventSynchronize(events[1]), cudaSuccess);
    float ms = 0;
    EXPECT_EQ(cudaEventElapsedTime(&ms, events[0], events[1]), cudaSuccess);
    EXPECT_GE(ms, 0.1F * kCount);
    for (const cudaEvent_t event : events)
        cudaEventDestroy(event);
}

TEST_F(StreamTest, aStreamWaitsForAnotherStreamsEvent)
{
    cudaEvent_t event = nullptr;
    cudaEventCreate(&event);
    {
        Gate gate(first);
        note(first, 1);
        cudaEventRecord(event, first);
        cudaStreamWaitEvent(second, event, 0);
        note(second, 2);
        EXPECT_EQ(cudaStreamQuery(second), cudaErrorNotReady);
        EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
        gate.open();
        EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess);
    }
    EXPECT_EQ(order, (std::vector<int>{1, 2}));
    EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
    cudaEventDestroy(event);
}

TEST_F(StreamTest, waitingForAnEventNeverRecordedDoesNotWait)
{
    cudaEvent_t event = nullptr;
    cudaEventCreate(&event);
    EXPECT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess);
    EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
    cudaEventDestroy(event);
}

TEST_F(StreamTest, theLegacyStreamWaitsForBlockingStreamsAndTheyForIt)
{
    cudaStream_t blocking = nullptr;
    cudaStreamCreate(&blocking);
    {
        Gate gate(blocking);
        note(nullptr, 1);
        note(blocking, 2);
        note(second, 0);
        EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess); // non-blocking: not held up
        EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
        gate.open();
        EXPECT_EQ(cudaStreamSynchronize(blocking), cudaSuccess);
    }
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
    cudaStreamDestroy(blocking);
}

TEST_F(StreamTest, deviceSynchronizeWaitsForAllStreamsEvenDestroyedOnes)
{
    cudaStream_t third = nullptr;
    cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking);
    {
        Gate gate(third);
        note(third, 3);
        EXPECT_EQ(cudaStreamDestroy(third), cudaSuccess);
        EXPECT_TRUE(order.empty());
        gate.open();
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(order, std::vector<int>{3});
    }
}

TEST_F(StreamTest, callbacksGetTheirStreamAndComeInOrder)
{
    struct Seen {
        cudaStream_t stream = nullptr;
        cudaError_t status = cudaErrorUnknown;
        int before = 0;
        StreamTest* test = nullptr;
    } seen;
    seen.test = this;
    note(first, 1);
    ASSERT_EQ(cudaStreamAddCallback(
                  first,
                  [](cudaStream_t stream, cudaError_t status, void* argument) {
                      auto* place = static_cast<Seen*>(argument);
                      *place = {stream, status, static_cast<int>(place->test->order.size()), place->test};
                  },
                  &seen, 0),
              cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(first), cudaSuccess);
    EXPECT_EQ(seen.stream, first);
    EXPECT_EQ(seen.status, cudaSuccess);
    EXPECT_EQ(seen.before, 1);
    EXPECT_EQ(cudaStreamAddCallback(first, nullptr, nullptr, 0), cudaErrorInvalidValue);
}

TEST_F(StreamTest, aCallbackCannotBeCaptured)
{
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    EXPECT_EQ(cudaStreamAddCallback(
                  first, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0),
              cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST_F(StreamTest, launchesCopyTheirArguments)
{
    float* values = nullptr;
    cudaMallocHost(&values, sizeof(float));
    *values = 1;
    {
        Gate gate(first);
        ringside::test::launchScale(values, 3, 1, first); // factor and count are gone when the kernel runs
        EXPECT_EQ(*values, 1);
        gate.open();
        cudaStreamSynchronize(first);
    }
    EXPECT_EQ(*values, 3);
    cudaFreeHost(values);
}

TEST_F(StreamTest, misuseIsAnErrorThatIsRememberedOnce)
{
    auto* bad = reinterpret_cast<cudaStream_t>(0x1234);
    EXPECT_EQ(cudaStreamSynchronize(bad), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(bad), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventRecord(nullptr, first), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaStreamCreateWithFlags(nullptr, 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaLaunchHostFunc(first, nullptr, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
}

TEST_F(StreamTest, eventsAndStreamsOfDifferentDevicesDoNotMix)
{
    cudaEvent_t event = nullptr;
    cudaSetDevice(1);
    cudaEventCreate(&event);
    EXPECT_EQ(cudaEventRecord(event, first), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(ringside::test::launchScale(nullptr, 1, 1, first), cudaErrorInvalidResourceHandle);
    cudaEventDestroy(event);
    cudaSetDevice(0);
}

} // namespace
