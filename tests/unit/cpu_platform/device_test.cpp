// SPDX-License-Identifier: Apache-2.0
// Several devices in one process: what belongs to which, and what may cross.
#include "gate.h"
#include "kernels.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using ringside::test::Gate;

constexpr std::size_t kSize = 4096;

struct DeviceTest : testing::Test {
    DeviceTest()
    {
        for (int i = 0; i < 2; ++i) {
            cudaSetDevice(i);
            cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
            cudaEventCreate(&events[i]);
            cudaMalloc(&memory[i], kSize);
        }
        cudaSetDevice(0);
    }
    ~DeviceTest() override
    {
        for (int i = 0; i < 2; ++i) {
            cudaSetDevice(i);
            cudaStreamDestroy(streams[i]);
            cudaEventDestroy(events[i]);
            cudaFree(memory[i]);
        }
        cudaSetDevice(0);
        cudaGetLastError();
    }
    static void count(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

    cudaStream_t streams[2] = {};
    cudaEvent_t events[2] = {};
    char* memory[2] = {};
    std::atomic<int> counter = 0;
};

TEST_F(DeviceTest, theCurrentDeviceIsTheThreadsOwn)
{
    int index = -1;
    cudaSetDevice(1);
    std::thread([&index] { EXPECT_EQ(cudaGetDevice(&index), cudaSuccess); }).join();
    EXPECT_EQ(index, 0);
    EXPECT_EQ(cudaStreamGetDevice(streams[1], &index), cudaSuccess);
    EXPECT_EQ(index, 1);
    EXPECT_EQ(cudaStreamGetDevice(nullptr, &index), cudaSuccess);
    EXPECT_EQ(index, 1);
}

TEST_F(DeviceTest, aKernelNeedsAStreamOfTheCurrentDevice)
{
    float value = 1;
    EXPECT_EQ(ringside::test::launchScale(&value, 2, 1, streams[1]), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(ringside::test::launchScale(&value, 2, 1, streams[0]), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(memory[1], 0, kSize, streams[1]), cudaSuccess); // copies and sets do not
    EXPECT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(streams[1]), cudaSuccess);
}

TEST_F(DeviceTest, eventsAreRecordedOnTheirDeviceAndWaitedForEverywhere)
{
    EXPECT_EQ(cudaEventRecord(events[0], streams[1]), cudaErrorInvalidResourceHandle);
    Gate gate(streams[0]);
    EXPECT_EQ(cudaEventRecord(events[0], streams[0]), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(streams[1], events[0], 0), cudaSuccess);
    EXPECT_EQ(cudaLaunchHostFunc(streams[1], count, &counter), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(streams[1]), cudaErrorNotReady);
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize(streams[1]), cudaSuccess);
    EXPECT_EQ(counter, 1);
    EXPECT_EQ(cudaEventRecord(events[1], streams[1]), cudaSuccess);
    EXPECT_EQ(cudaEventSynchronize(events[1]), cudaSuccess);
    float ms = 0;
    EXPECT_EQ(cudaEventElapsedTime(&ms, events[0], events[1]), cudaErrorInvalidResourceHandle);
}

TEST_F(DeviceTest, synchronizeIsForOneDevice)
{
    Gate gate(streams[0]);
    cudaSetDevice(1);
    EXPECT_EQ(cudaLaunchHostFunc(streams[1], count, &counter), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(counter, 1);
    EXPECT_EQ(cudaStreamQuery(streams[0]), cudaErrorNotReady);
    cudaSetDevice(0);
}

TEST_F(DeviceTest, peerAccessGivesCudasErrors)
{
    int can = -1;
    EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess);
    EXPECT_EQ(can, 1);
    EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 1, 1), cudaSuccess);
    EXPECT_EQ(can, 0);
    EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, 99), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(2, 1), cudaErrorInvalidValue);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice); // itself
    EXPECT_EQ(cudaDeviceEnablePeerAccess(99, 0), cudaErrorInvalidDevice);
    cudaSetDevice(1);
    EXPECT_EQ(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled); // the other direction
    cudaSetDevice(0);
    EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
    int value = -1;
    EXPECT_EQ(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1), cudaSuccess);
    EXPECT_EQ(value, 1);
    EXPECT_EQ(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 1, 1), cudaErrorInvalidDevice);
}

TEST_F(DeviceTest, copiesGoFromDeviceToDevice)
{
    char back[2] = {};
    cudaMemset(memory[0], 'a', kSize);
    EXPECT_EQ(cudaMemcpyPeer(memory[1], 1, memory[0], 0, kSize), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(back, memory[1] + kSize - 1, 1, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(back[0], 'a');
    cudaMemset(memory[0], 'b', kSize);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess); // the stream does not wait for the legacy one's work
    EXPECT_EQ(cudaMemcpyPeerAsync(memory[1], 1, memory[0], 0, kSize, streams[0]), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
    EXPECT_EQ(memory[1][1], 'b');
    cudaMemset(memory[0], 'c', kSize);
    EXPECT_EQ(cudaMemcpy(memory[1], memory[0], kSize, cudaMemcpyDefault), cudaSuccess);
    cudaDeviceSynchronize();
    EXPECT_EQ(memory[1][1], 'c');
    EXPECT_EQ(cudaMemcpyPeer(memory[1], 99, memory[0], 0, kSize), cudaErrorInvalidDevice);
}

TEST_F(DeviceTest, aPeerCopyComesAfterBothDevicesWork)
{
    Gate gate(nullptr); // of device 0
    cudaSetDevice(1);
    EXPECT_EQ(cudaMemcpyPeer(memory[1], 1, memory[0], 0, kSize), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    cudaSetDevice(0);
}

TEST_F(DeviceTest, memoryIsCountedByDevice)
{
    std::size_t before[2] = {};
    std::size_t after[2] = {};
    std::size_t total = 0;
    const auto look = [&total](std::size_t* free) {
        for (int i = 0; i < 2; ++i) {
            cudaSetDevice(i);
            EXPECT_EQ(cudaMemGetInfo(&free[i], &total), cudaSuccess);
        }
        cudaSetDevice(0);
    };
    void* more = nullptr;
    look(before);
    EXPECT_EQ(cudaMalloc(&more, kSize), cudaSuccess);
    look(after);
    EXPECT_EQ(before[0] - after[0], kSize);
    EXPECT_EQ(before[1], after[1]);
    EXPECT_EQ(cudaFree(more), cudaSuccess);
}

TEST_F(DeviceTest, resetTakesBackWhatBelongsToTheDevice)
{
    std::size_t free = 0;
    std::size_t total = 0;
    cudaSetDevice(1);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaSuccess);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    EXPECT_EQ(free, total);
    EXPECT_EQ(cudaStreamSynchronize(streams[1]), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventQuery(events[1]), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaFree(memory[1]), cudaErrorInvalidValue);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaSuccess);
    EXPECT_EQ(cudaDeviceDisablePeerAccess(0), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(memory[0], 1, kSize, streams[0]), cudaSuccess); // the others go on
    EXPECT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
    cudaSetDevice(0);
}

TEST_F(DeviceTest, aCaptureMayForkToAnotherDevice)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaMemset(memory[1], 0, kSize);
    cudaDeviceSynchronize();
    ASSERT_EQ(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(events[0], streams[0]), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(streams[1], events[0], 0), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(memory[1], 'x', kSize, streams[1]), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(events[1], streams[1]), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(streams[0], events[1], 0), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(memory[0], memory[1], kSize, cudaMemcpyDefault, streams[0]), cudaSuccess);
    ASSERT_EQ(cudaStreamEndCapture(streams[0], &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    for (int i = 0; i < 2; ++i) // also into a stream of a device that only a part of the graph is for
        EXPECT_EQ(cudaGraphLaunch(exec, streams[i]), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(streams[1]), cudaSuccess);
    EXPECT_EQ(memory[0][kSize - 1], 'x');
    EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

} // namespace
