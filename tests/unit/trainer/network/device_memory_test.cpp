// SPDX-License-Identifier: Apache-2.0
// Device memory is counted by its use, and its exhaustion is explained.
#include "gpu.h"

#include <gtest/gtest.h>

#include <string>

using namespace ringside::trainer;

namespace {

std::size_t bytesFor(const MemoryBytes& bytes, MemoryUse use)
{
    return bytes.byUse[static_cast<std::size_t>(use)];
}

std::string failureOf(std::size_t bytes)
{
    try {
        static_cast<void>(allocateDevice(bytes));
    } catch (const Failure& failure) {
        return failure.what();
    }
    return "none";
}

} // namespace

TEST(DeviceMemory, isCountedByItsUseUntilItIsFreed)
{
    const MemoryBytes before = memoryUsage(0).now;
    {
        const MemoryScope scope(MemoryUse::OptimizerState);
        const DeviceArray<float> state(1000);
        const MemoryScope inner(MemoryUse::Batches);
        DeviceArray<int> first(10);
        const DeviceArray<int> second = std::move(first);
        const MemoryBytes now = memoryUsage(0).now;
        EXPECT_EQ(bytesFor(now, MemoryUse::OptimizerState) - bytesFor(before, MemoryUse::OptimizerState),
                  4000U);
        EXPECT_EQ(bytesFor(now, MemoryUse::Batches) - bytesFor(before, MemoryUse::Batches), 40U);
        EXPECT_EQ(now.total - before.total, 4040U);
    }
    EXPECT_EQ(memoryUsage(0).now.total, before.total);
    EXPECT_GE(memoryUsage(0).peak.total, before.total + 4040);
    const DeviceArray<char> other(3);
    EXPECT_EQ(bytesFor(memoryUsage(0).now, MemoryUse::Other) - bytesFor(before, MemoryUse::Other), 3U);
}

TEST(DeviceMemory, isCountedOnTheDeviceThatItIsOf)
{
    const std::size_t before = memoryUsage(0).now.total;
    RS_CHECK(cudaSetDevice(1));
    {
        const DeviceArray<char> elsewhere(100);
        RS_CHECK(cudaSetDevice(0));
        EXPECT_EQ(memoryUsage(1).now.total, 100U);
        EXPECT_EQ(memoryUsage(0).now.total, before);
    }
    EXPECT_EQ(memoryUsage(1).now.total, 0U);
}

TEST(DeviceMemory, reportsItsUseWhenItIsExhausted)
{
    const MemoryScope scope(MemoryUse::Activations);
    const DeviceArray<char> some(3U << 20U);
    const std::string message = failureOf(std::size_t{1} << 40U);
    for (const char* part : {"device 0 is out of memory", "1048576.0 MiB more were requested (activations)",
                             "MiB are free", "activations 3.0", "--batch", "--accumulate"})
        EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
}
