// SPDX-License-Identifier: Apache-2.0
// Managed, pitched and mapped memory, memory pools, and copies and sets in rows.
#include "gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using ringside::test::Gate;

constexpr std::size_t kSize = 4096;
constexpr cudaMemLocation kFirstDevice{cudaMemLocationTypeDevice, 0};
constexpr cudaMemLocation kNoDevice{cudaMemLocationTypeDevice, 99};

struct AllocationTest : testing::Test {
    AllocationTest() { cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); }
    ~AllocationTest() override
    {
        cudaStreamDestroy(stream);
        cudaGetLastError();
    }
    static std::uint64_t poolNumber(cudaMemPool_t pool, cudaMemPoolAttr attribute)
    {
        std::uint64_t value = 0;
        EXPECT_EQ(cudaMemPoolGetAttribute(pool, attribute, &value), cudaSuccess);
        return value;
    }
    cudaStream_t stream = nullptr;
};

TEST_F(AllocationTest, managedMemoryIsForBothSides)
{
    char* managed = nullptr;
    ASSERT_EQ(cudaMallocManaged(&managed, kSize, cudaMemAttachGlobal), cudaSuccess);
    cudaPointerAttributes attributes{};
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, managed + 1), cudaSuccess);
    EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
    EXPECT_EQ(attributes.devicePointer, managed + 1);
    EXPECT_EQ(attributes.hostPointer, managed + 1);
    char there = 't';
    EXPECT_EQ(cudaMemcpy(managed, &there, 1, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(managed + 1, managed, 1, cudaMemcpyHostToHost), cudaSuccess);
    EXPECT_EQ(managed[1], 't');
    EXPECT_EQ(cudaMemPrefetchAsync(managed, kSize, kFirstDevice, 0, stream), cudaSuccess);
    EXPECT_EQ(cudaMemPrefetchAsync(managed, kSize, kNoDevice, 0, stream), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaMemPrefetchAsync(managed + 1, kSize, kFirstDevice, 0, stream), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemAdvise(managed, kSize, cudaMemAdviseSetPreferredLocation, kFirstDevice), cudaSuccess);
    EXPECT_EQ(cudaMemAdvise(managed, kSize, cudaMemAdviseSetAccessedBy, kNoDevice), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaMemAdvise(&there, 1, cudaMemAdviseSetReadMostly, kFirstDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFree(managed), cudaSuccess);
    EXPECT_EQ(cudaFree(managed), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMallocManaged(&managed, 0, cudaMemAttachGlobal), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMallocManaged(&managed, kSize, 0), cudaErrorInvalidValue);
}

TEST_F(AllocationTest, pinnedMemoryRemembersItsFlagsAndIsMapped)
{
    char* pinned = nullptr;
    void* onDevice = nullptr;
    unsigned flags = 0;
    ASSERT_EQ(cudaHostAlloc(&pinned, kSize, cudaHostAllocPortable), cudaSuccess);
    EXPECT_EQ(cudaHostGetFlags(&flags, pinned), cudaSuccess);
    EXPECT_EQ(flags, unsigned{cudaHostAllocPortable | cudaHostAllocMapped});
    EXPECT_EQ(cudaHostGetDevicePointer(&onDevice, pinned, 0), cudaSuccess);
    EXPECT_EQ(onDevice, pinned);
    EXPECT_EQ(cudaHostGetDevicePointer(&onDevice, &flags, 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaHostGetDevicePointer(&onDevice, pinned, 1), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
    EXPECT_EQ(cudaHostAlloc(&pinned, kSize, 0x80), cudaErrorInvalidValue);
    EXPECT_EQ(cudaHostRegister(&flags, sizeof flags, 0x80), cudaErrorInvalidValue);
}

TEST_F(AllocationTest, copiesAndSetsRows)
{
    constexpr std::size_t kWidth = 3;
    constexpr std::size_t kHeight = 4;
    char* onDevice = nullptr;
    std::size_t pitch = 0;
    ASSERT_EQ(cudaMallocPitch(&onDevice, &pitch, kWidth, kHeight), cudaSuccess);
    EXPECT_GE(pitch, kWidth);
    std::fill_n(onDevice, pitch * kHeight, '.');
    const std::string source = "abc|def|ghi|jkl|";
    EXPECT_EQ(
        cudaMemcpy2D(onDevice, pitch, source.data(), kWidth + 1, kWidth, kHeight, cudaMemcpyHostToDevice),
        cudaSuccess);
    EXPECT_EQ(std::string(onDevice + pitch, 4), "def."); // what is between the rows stays
    EXPECT_EQ(cudaMemset2D(onDevice + pitch, pitch, 'x', 2, 2), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess); // the stream does not wait for the legacy one's work
    std::string back(kWidth * kHeight, ' ');
    EXPECT_EQ(cudaMemcpy2DAsync(back.data(), kWidth, onDevice, pitch, kWidth, kHeight, cudaMemcpyDeviceToHost,
                                stream),
              cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(back, "abcxxfxxijkl");
    EXPECT_EQ(
        cudaMemcpy2D(onDevice, kWidth - 1, back.data(), kWidth, kWidth, kHeight, cudaMemcpyHostToDevice),
        cudaErrorInvalidPitchValue);
    EXPECT_EQ(cudaMemset2D(onDevice, 1, 0, kWidth, kHeight), cudaErrorInvalidPitchValue);
    EXPECT_EQ(cudaFree(onDevice), cudaSuccess);
}

TEST_F(AllocationTest, pageableRowsAreStagedOnTheirWayToTheDevice)
{
    char* onDevice = nullptr;
    ASSERT_EQ(cudaMalloc(&onDevice, 4), cudaSuccess);
    std::string source = "ab|cd|";
    Gate gate(stream);
    EXPECT_EQ(cudaMemcpy2DAsync(onDevice, 2, source.data(), 3, 2, 2, cudaMemcpyHostToDevice, stream),
              cudaSuccess);
    source.assign(source.size(), '!');
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(std::string(onDevice, 4), "abcd");
    EXPECT_EQ(cudaFree(onDevice), cudaSuccess);
}

TEST_F(AllocationTest, copiesBoxes)
{
    std::vector<char> source(2 * 3 * 4); // 4 wide, 3 high, 2 deep
    std::vector<char> target(source.size(), '.');
    for (std::size_t i = 0; i < source.size(); ++i)
        source[i] = static_cast<char>('a' + i);
    cudaMemcpy3DParms box{};
    box.srcPtr = {source.data(), 4, 4, 3};
    box.srcPos = {1, 1, 0};
    box.dstPtr = {target.data(), 4, 4, 3};
    box.extent = {2, 2, 2};
    box.kind = cudaMemcpyHostToHost;
    EXPECT_EQ(cudaMemcpy3D(&box), cudaSuccess);
    EXPECT_EQ(std::string(target.begin(), target.end()), "fg..jk......rs..vw......");
    EXPECT_EQ(cudaMemcpy3D(nullptr), cudaErrorInvalidValue);
}

TEST_F(AllocationTest, theDefaultPoolCountsStreamOrderedMemory)
{
    cudaMemPool_t pool = nullptr;
    ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    cudaMemPool_t current = nullptr;
    EXPECT_EQ(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
    EXPECT_EQ(current, pool);
    EXPECT_EQ(cudaDeviceGetDefaultMemPool(&current, 99), cudaErrorInvalidDevice);
    std::uint64_t threshold = UINT64_MAX;
    EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold), cudaSuccess);
    EXPECT_EQ(poolNumber(pool, cudaMemPoolAttrReleaseThreshold), UINT64_MAX);
    void* memory = nullptr;
    ASSERT_EQ(cudaMallocAsync(&memory, kSize, stream), cudaSuccess);
    EXPECT_EQ(poolNumber(pool, cudaMemPoolAttrUsedMemCurrent), kSize);
    ASSERT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(poolNumber(pool, cudaMemPoolAttrUsedMemCurrent), 0U);
    EXPECT_EQ(poolNumber(pool, cudaMemPoolAttrUsedMemHigh), kSize);
    std::uint64_t none = 0;
    EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none), cudaSuccess);
    EXPECT_EQ(poolNumber(pool, cudaMemPoolAttrUsedMemHigh), 0U);
    EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &none), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemPoolTrimTo(pool, 0), cudaSuccess);
    EXPECT_EQ(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
}

TEST_F(AllocationTest, aProgramsOwnPoolCanBeTheDevices)
{
    cudaMemPool_t pool = nullptr;
    cudaMemPool_t current = nullptr;
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = kFirstDevice;
    ASSERT_EQ(cudaMemPoolCreate(&pool, &properties), cudaSuccess);
    EXPECT_EQ(cudaDeviceSetMemPool(1, pool), cudaErrorInvalidValue); // another device's
    EXPECT_EQ(cudaDeviceSetMemPool(0, pool), cudaSuccess);
    EXPECT_EQ(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
    EXPECT_EQ(current, pool);
    void* memory = nullptr;
    ASSERT_EQ(cudaMallocFromPoolAsync(&memory, kSize, pool, stream), cudaSuccess);
    EXPECT_EQ(poolNumber(pool, cudaMemPoolAttrUsedMemCurrent), kSize);
    const cudaMemAccessDesc access{kFirstDevice, cudaMemAccessFlagsProtReadWrite};
    EXPECT_EQ(cudaMemPoolSetAccess(pool, &access, 1), cudaSuccess);
    EXPECT_EQ(cudaMemPoolDestroy(pool), cudaSuccess); // what is allocated stays
    EXPECT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(cudaMallocFromPoolAsync(&memory, kSize, pool, stream), cudaErrorInvalidValue);
    properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    EXPECT_EQ(cudaMemPoolCreate(&pool, &properties), cudaErrorNotSupported);
    EXPECT_EQ(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
    EXPECT_NE(current, pool);
}

} // namespace
