// SPDX-License-Identifier: Apache-2.0
// The reports of the runtime about its work, from which all records of the emulated CUPTI are made.
#include "kernels.h"
#include "platform.h"

#include <gtest/gtest.h>

#include <vector>

namespace {

using ringside::platform::WorkActivity;

std::vector<WorkActivity> reported; // by the stream's thread; read after a synchronisation

const ringside::platform::ActivitySink kSink{
    [](const WorkActivity& activity) { reported.push_back(activity); },
    [](ringside::platform::ApiFunction, std::uint32_t) {},
    [](const ringside::platform::ApiActivity&) {},
};

struct ActivityTest : testing::Test {
    ActivityTest()
    {
        reported.clear();
        ringside_platform_set_sink(&kSink);
    }
    ~ActivityTest() override { ringside_platform_set_sink(nullptr); }
};

TEST_F(ActivityTest, aKernelReportsItsNameAndShape)
{
    float value = 1;
    float* values = &value;
    float factor = 1;
    int count = 1;
    void* arguments[] = {&values, &factor, &count};
    EXPECT_EQ(
        cudaLaunchKernel(ringside::test::scaleKernel(), dim3(2, 3, 4), dim3(5, 6, 7), arguments, 99, nullptr),
        cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_EQ(reported.size(), 1U);
    const WorkActivity& kernel = reported.front();
    EXPECT_STREQ(kernel.name, "scale");
    EXPECT_EQ(std::vector(std::begin(kernel.shape.grid), std::end(kernel.shape.grid)),
              (std::vector<std::uint32_t>{2, 3, 4}));
    EXPECT_EQ(std::vector(std::begin(kernel.shape.block), std::end(kernel.shape.block)),
              (std::vector<std::uint32_t>{5, 6, 7}));
    EXPECT_EQ(kernel.shape.sharedBytes, 99U);
    EXPECT_EQ(kernel.graphId, 0U);
    EXPECT_EQ(kernel.graphNodeId, 0U);
}

} // namespace
