// SPDX-License-Identifier: Apache-2.0
// Allocation and copies of the emulated runtime, and when they block their caller.
#include "gate.h"

#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <cstring>
#include <thread>
#include <vector>

using ringside::test::Gate;

namespace {

constexpr std::size_t kSize = 1 << 20;

struct MemoryTest : testing::Test {
    MemoryTest()
    {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaMalloc(&onDevice, kSize);
        cudaMallocHost(&pinned, kSize);
    }
    ~MemoryTest() override
    {
        cudaFree(onDevice);
        cudaFreeHost(pinned);
        cudaStreamDestroy(stream);
        cudaGetLastError();
    }

    cudaStream_t stream = nullptr;
    char* onDevice = nullptr;
    char* pinned = nullptr;
    std::vector<char> pageable = std::vector<char>(kSize, 'p');
};

// Each takes nearly all, at the same moment, and does not touch it.
TEST_F(MemoryTest, hasNeverMoreFreeThanThereIs)
{
    constexpr int kAttempts = 20;
    std::size_t before = 0;
    std::size_t total = 0;
    ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        std::array<void*, 2> pointers{};
        std::barrier together(2);
        const auto take = [&](int which) {
            together.arrive_and_wait();
            cudaMalloc(&pointers.at(which), before - kSize);
        };
        std::thread other(take, 1);
        take(0);
        other.join();
        std::size_t free = 0;
        EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
        EXPECT_LE(free, total);
        for (void* const pointer : pointers)
            cudaFree(pointer);
    }
}

TEST_F(MemoryTest, pinnedCopiesReturnBeforeTheyAreDone)
{
    std::memset(pinned, 'a', kSize);
    Gate gate(stream);
    EXPECT_EQ(cudaMemcpyAsync(onDevice, pinned, kSize, cudaMemcpyHostToDevice, stream), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(pinned, onDevice, kSize, cudaMemcpyDeviceToHost, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
    std::memset(pinned, 'b', kSize); // the copy has not happened yet: it takes this
    gate.open();
    cudaStreamSynchronize(stream);
    EXPECT_EQ(onDevice[kSize - 1], 'b');
}

TEST_F(MemoryTest, pageableMemoryIsStagedOnItsWayToTheDevice)
{
    Gate gate(stream);
    EXPECT_EQ(cudaMemcpyAsync(onDevice, pageable.data(), kSize, cudaMemcpyHostToDevice, stream), cudaSuccess);
    std::memset(pageable.data(), 'x', kSize); // allowed: the source was taken at the call
    gate.open();
    cudaStreamSynchronize(stream);
    EXPECT_EQ(onDevice[kSize - 1], 'p');
}

TEST_F(MemoryTest, pageableMemoryLargerThanTheStagingBufferHoldsItsCaller)
{
    constexpr std::size_t kLarge = 8U << 20U;
    std::vector<char> source(kLarge, 'p');
    char* target = nullptr;
    ASSERT_EQ(cudaMalloc(&target, kLarge), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(target, source.data(), kLarge, cudaMemcpyHostToDevice, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
    EXPECT_EQ(target[kLarge - 1], 'p');
    EXPECT_EQ(cudaFree(target), cudaSuccess);
}

TEST_F(MemoryTest, copiesIntoPageableMemoryBlockTheirCaller)
{
    cudaMemsetAsync(onDevice, 'd', kSize, stream);
    EXPECT_EQ(cudaMemcpyAsync(pageable.data(), onDevice, kSize, cudaMemcpyDeviceToHost, stream), cudaSuccess);
    EXPECT_EQ(pageable[kSize - 1], 'd');
    EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
}

TEST_F(MemoryTest, synchronousCopiesAreDoneOnReturn)
{
    EXPECT_EQ(cudaMemcpy(onDevice, pageable.data(), kSize, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(onDevice[kSize - 1], 'p');
    EXPECT_EQ(cudaMemset(onDevice, 's', kSize), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(pinned, onDevice, kSize, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(pinned[kSize - 1], 's');
}

TEST_F(MemoryTest, refusesDirectionsThatThePointersContradict)
{
    EXPECT_EQ(cudaMemcpy(pageable.data(), pinned, 1, cudaMemcpyDeviceToHost),
              cudaSuccess); // devices reach it
    EXPECT_EQ(cudaMemcpy(onDevice, pinned, 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(onDevice, pageable.data(), 1, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(pageable.data(), onDevice, 1, cudaMemcpyHostToHost), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(onDevice, pinned, 1, static_cast<cudaMemcpyKind>(7)),
              cudaErrorInvalidMemcpyDirection);
    EXPECT_EQ(cudaMemset(pageable.data(), 0, 1), cudaErrorInvalidValue);
}

TEST_F(MemoryTest, accountsForDeviceMemoryAndRefusesMoreThanThereIs)
{
    std::size_t before = 0;
    std::size_t after = 0;
    std::size_t total = 0;
    cudaMemGetInfo(&before, &total);
    void* more = nullptr;
    EXPECT_EQ(cudaMalloc(&more, kSize), cudaSuccess);
    cudaMemGetInfo(&after, &total);
    EXPECT_EQ(before - after, kSize);
    EXPECT_EQ(cudaFree(more), cudaSuccess);
    EXPECT_EQ(cudaFree(more), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMalloc(&more, total + 1), cudaErrorMemoryAllocation);
    EXPECT_EQ(more, nullptr);
    EXPECT_EQ(cudaFreeHost(onDevice), cudaErrorInvalidValue);
}

TEST_F(MemoryTest, freeAsyncHappensInTheStreamsOrder)
{
    std::size_t before = 0;
    std::size_t now = 0;
    std::size_t total = 0;
    cudaMemGetInfo(&before, &total);
    void* memory = nullptr;
    Gate gate(stream);
    ASSERT_EQ(cudaMallocAsync(&memory, kSize, stream), cudaSuccess);
    ASSERT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
    cudaMemGetInfo(&now, &total);
    EXPECT_EQ(before - now, kSize);
    gate.open();
    cudaStreamSynchronize(stream);
    cudaMemGetInfo(&now, &total);
    EXPECT_EQ(before, now);
}

TEST_F(MemoryTest, boxesAreAllocatedAndSetInThreeDimensions)
{
    const cudaExtent extent{100, 3, 2};
    cudaPitchedPtr box{};
    ASSERT_EQ(cudaMalloc3D(&box, extent), cudaSuccess);
    EXPECT_GE(box.pitch, extent.width);
    ASSERT_EQ(cudaMemset(box.ptr, 1, box.pitch * 6), cudaSuccess);
    ASSERT_EQ(cudaMemset3D(box, 2, extent), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const auto* bytes = static_cast<const char*>(box.ptr);
    EXPECT_EQ(bytes[0], 2);
    EXPECT_EQ(bytes[5 * box.pitch + 99], 2);
    EXPECT_EQ(bytes[5 * box.pitch + 100], 1); // behind the row
    EXPECT_EQ(cudaMemset3DAsync(box, 3, extent, nullptr), cudaSuccess);
    EXPECT_EQ(cudaFree(box.ptr), cudaSuccess);
}

TEST_F(MemoryTest, findsTheAllocationOfAPointer)
{
    cudaPointerAttributes attributes{};
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, onDevice + 100), cudaSuccess);
    EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, pinned), cudaSuccess);
    EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
    EXPECT_EQ(cudaHostRegister(pageable.data(), kSize, 0), cudaSuccess);
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, pageable.data()), cudaSuccess);
    EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
    EXPECT_EQ(cudaHostRegister(pageable.data(), kSize, 0), cudaErrorHostMemoryAlreadyRegistered);
    EXPECT_EQ(cudaHostUnregister(pageable.data()), cudaSuccess);
    EXPECT_EQ(cudaHostUnregister(pageable.data()), cudaErrorHostMemoryNotRegistered);
}

} // namespace
