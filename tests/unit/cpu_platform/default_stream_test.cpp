// SPDX-License-Identifier: Apache-2.0
// The default streams and who waits for whom, as CUDA has it:
// - the legacy stream of a device starts after all earlier work of its blocking streams, and they after its;
// - per-thread default streams are blocking streams, one a thread and device;
// - streams made with cudaStreamNonBlocking wait for nobody, and nobody for them.
#include "gate.h"
#include "kernels.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <thread>

// What CUDA's headers call in programs built for per-thread default streams.
extern "C" {
extern decltype(cudaLaunchHostFunc) cudaLaunchHostFunc_ptsz;
extern decltype(cudaStreamSynchronize) cudaStreamSynchronize_ptsz;
extern decltype(cudaStreamQuery) cudaStreamQuery_ptsz;
cudaError_t cudaMemset_ptds(void* pointer, int value, std::size_t count);
extern decltype(cudaStreamBeginCapture) cudaStreamBeginCapture_ptsz;
extern decltype(cudaStreamEndCapture) cudaStreamEndCapture_ptsz;
cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long* id);
cudaError_t cudaLaunchKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments,
                                  std::size_t sharedMemory, cudaStream_t stream);
}

namespace {

using ringside::test::Gate;

struct DefaultStreamTest : testing::Test {
    DefaultStreamTest()
    {
        cudaStreamCreate(&blocking);
        cudaStreamCreateWithFlags(&nonBlocking, cudaStreamNonBlocking);
    }
    ~DefaultStreamTest() override
    {
        cudaStreamDestroy(blocking);
        cudaStreamDestroy(nonBlocking);
        cudaGetLastError();
    }
    static void count(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }
    static unsigned long long idOf(cudaStream_t stream)
    {
        unsigned long long id = 0;
        EXPECT_EQ(cudaStreamGetId(stream, &id), cudaSuccess);
        return id;
    }

    cudaStream_t blocking = nullptr;
    cudaStream_t nonBlocking = nullptr;
    std::atomic<int> counter = 0;
};

TEST_F(DefaultStreamTest, nullMeansTheLegacyStreamInPlainFunctionsOnly)
{
    unsigned long long id = 0;
    EXPECT_EQ(idOf(nullptr), idOf(cudaStreamLegacy));
    EXPECT_NE(idOf(cudaStreamPerThread), idOf(cudaStreamLegacy));
    EXPECT_EQ(cudaStreamGetId_ptsz(nullptr, &id), cudaSuccess);
    EXPECT_EQ(id, idOf(cudaStreamPerThread));
    EXPECT_EQ(cudaStreamGetId_ptsz(cudaStreamLegacy, &id), cudaSuccess);
    EXPECT_EQ(id, idOf(nullptr));
    EXPECT_EQ(cudaStreamDestroy(cudaStreamPerThread), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
}

TEST_F(DefaultStreamTest, threadsAndDevicesHaveTheirOwn)
{
    const unsigned long long mine = idOf(cudaStreamPerThread);
    EXPECT_EQ(idOf(cudaStreamPerThread), mine);
    std::thread([mine] { EXPECT_NE(idOf(cudaStreamPerThread), mine); }).join();
    cudaSetDevice(1);
    EXPECT_NE(idOf(cudaStreamPerThread), mine);
    cudaSetDevice(0);
}

TEST_F(DefaultStreamTest, workOfTwoThreadsRunsAtTheSameTime)
{
    std::latch both(2); // hangs unless each runs while the other does
    const auto work = [&both] {
        EXPECT_EQ(
            cudaLaunchHostFunc_ptsz(
                nullptr, [](void* latch) { static_cast<std::latch*>(latch)->arrive_and_wait(); }, &both),
            cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize_ptsz(nullptr), cudaSuccess);
    };
    std::thread other(work);
    work();
    other.join();
}

TEST_F(DefaultStreamTest, theLegacyStreamHoldsUpBlockingAndPerThreadStreams)
{
    Gate gate(nullptr);
    for (const cudaStream_t stream : {blocking, cudaStreamPerThread, nonBlocking})
        EXPECT_EQ(cudaLaunchHostFunc(stream, count, &counter), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(nonBlocking), cudaSuccess);
    EXPECT_EQ(counter, 1);
    EXPECT_EQ(cudaStreamQuery(blocking), cudaErrorNotReady);
    EXPECT_EQ(cudaStreamQuery_ptsz(nullptr), cudaErrorNotReady);
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize(blocking), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
    EXPECT_EQ(counter, 3);
}

TEST_F(DefaultStreamTest, theLegacyStreamWaitsForPerThreadStreams)
{
    Gate gate(cudaStreamPerThread);
    EXPECT_EQ(cudaLaunchHostFunc(nullptr, count, &counter), cudaSuccess);
    EXPECT_EQ(cudaLaunchHostFunc(blocking, count, &counter), cudaSuccess); // after the legacy stream's
    EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
    EXPECT_EQ(cudaStreamQuery(blocking), cudaErrorNotReady);
    EXPECT_EQ(counter, 0);
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize(blocking), cudaSuccess);
    EXPECT_EQ(counter, 2);
}

TEST_F(DefaultStreamTest, aPerThreadStreamAndABlockingOneDoNotWaitForEachOther)
{
    Gate gate(blocking);
    EXPECT_EQ(cudaLaunchHostFunc(cudaStreamPerThread, count, &counter), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
    EXPECT_EQ(counter, 1);
    EXPECT_EQ(cudaStreamQuery(blocking), cudaErrorNotReady);
}

TEST_F(DefaultStreamTest, legacyStreamsOfTwoDevicesDoNotWaitForEachOther)
{
    Gate gate(nullptr);
    cudaSetDevice(1);
    EXPECT_EQ(cudaLaunchHostFunc(nullptr, count, &counter), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(counter, 1);
    cudaSetDevice(0);
    EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
}

TEST_F(DefaultStreamTest, functionsWithoutAStreamUseTheThreadsOwnToo)
{
    char* memory = nullptr;
    ASSERT_EQ(cudaMallocHost(&memory, 16), cudaSuccess);
    {
        const Gate gate(nonBlocking); // holds up nothing of this
        EXPECT_EQ(cudaMemset_ptds(memory, 'x', 16), cudaSuccess);
        EXPECT_EQ(memory[15], 'x'); // pinned memory: the call waits
    }
    EXPECT_EQ(cudaFreeHost(memory), cudaSuccess);
}

TEST_F(DefaultStreamTest, kernelsGoToTheThreadsOwnStream)
{
    float value = 2;
    float* values = &value;
    float factor = 3;
    int size = 1;
    void* arguments[] = {&values, &factor, &size};
    Gate gate(cudaStreamPerThread);
    EXPECT_EQ(cudaLaunchKernel_ptsz(ringside::test::scaleKernel(), dim3(1), dim3(1), arguments, 0, nullptr),
              cudaSuccess);
    EXPECT_EQ(value, 2);
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize_ptsz(nullptr), cudaSuccess);
    EXPECT_EQ(value, 6);
}

TEST_F(DefaultStreamTest, aThreadsWorkOutlivesTheThread)
{
    Gate gate(nullptr); // holds the thread's work up, as the legacy stream does
    std::thread([this] { cudaLaunchHostFunc(cudaStreamPerThread, count, &counter); }).join();
    EXPECT_EQ(counter, 0);
    gate.open();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(counter, 1);
}

TEST_F(DefaultStreamTest, aThreadsLastDestructorsMayStillUseItsStream)
{
    struct LastCall {
        cudaError_t* result = nullptr;
        ~LastCall()
        {
            if (result != nullptr)
                *result = cudaStreamSynchronize(cudaStreamPerThread);
        }
    };
    auto result = cudaErrorUnknown;
    std::thread([this, &result] {
        static thread_local LastCall call; // older than the thread's stream, so destroyed after it
        call.result = &result;
        cudaLaunchHostFunc(
            cudaStreamPerThread,
            [](void* argument) {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                count(argument);
            },
            &counter);
    }).join();
    EXPECT_EQ(counter, 1); // the call waited for the thread's work
    EXPECT_EQ(result, cudaSuccess);
    cudaDeviceSynchronize();
}

TEST_F(DefaultStreamTest, thePerThreadStreamCanBeCaptured)
{
    cudaGraph_t graph = nullptr;
    auto status = cudaStreamCaptureStatusNone;
    ASSERT_EQ(cudaStreamBeginCapture_ptsz(nullptr, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(cudaStreamIsCapturing(cudaStreamPerThread, &status), cudaSuccess);
    EXPECT_EQ(status, cudaStreamCaptureStatusActive);
    EXPECT_EQ(cudaMemset_ptds(&counter, 0, 1), cudaErrorInvalidValue); // refused before it does harm
    ASSERT_EQ(cudaStreamEndCapture_ptsz(nullptr, &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

} // namespace
