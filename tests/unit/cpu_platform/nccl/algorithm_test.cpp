// SPDX-License-Identifier: Apache-2.0
// NCCL_ALGO: all-reduces over trees give what rings give, and what nothing serves is refused.
#include "platform.h"
#include "reference.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace ringside::test {
namespace {

/// For the ranks started meanwhile.
class AlgorithmSetting final {
public:
    explicit AlgorithmSetting(const char* value) { ::setenv("NCCL_ALGO", value, 1); }
    ~AlgorithmSetting() { ::unsetenv("NCCL_ALGO"); }
    AlgorithmSetting(const AlgorithmSetting&) = delete;
    AlgorithmSetting& operator=(const AlgorithmSetting&) = delete;
};

template <class T>
void allReducesByTheAlgorithm(Rank& self, ncclDataType_t type, ncclRedOp_t op, std::size_t count)
{
    const std::vector<T> in = inputs<T>(self.rank, count);
    std::vector<T> out(count);
    succeed(ncclAllReduce(in.data(), out.data(), count, type, op, self.comm, self.stream), "ncclAllReduce");
    self.synchronise();
    expectCombined(out, 0, op, self.size, "all-reduce");
    check(same(in, inputs<T>(self.rank, count)), "all-reduce changed its input");
    out = in;
    succeed(ncclAllReduce(out.data(), out.data(), count, type, op, self.comm, self.stream), "in place");
    self.synchronise();
    expectCombined(out, 0, op, self.size, "all-reduce in place");
}

std::string g_kernel;

void recordTheLastKernel()
{
    static constexpr platform::ActivitySink kSink = {
        .work = [](const platform::WorkActivity& activity) { g_kernel = activity.name; },
        .apiBegin = [](platform::ApiFunction, std::uint32_t) {},
        .apiEnd = [](const platform::ApiActivity&) {},
    };
    ringside_platform_set_sink(&kSink);
}

std::string kernelOfAnAllReduce(Rank& self)
{
    recordTheLastKernel();
    allReducesByTheAlgorithm<float>(self, ncclFloat32, ncclSum, 10);
    return g_kernel;
}

class Trees : public ::testing::TestWithParam<int> {};

TEST_P(Trees, reduceAsRingsDo)
{
    const AlgorithmSetting setting("allreduce:tree");
    EXPECT_TRUE(ranksEndWell(GetParam(), [](Rank& self) {
        for (const std::size_t count :
             {std::size_t{0}, std::size_t{1}, std::size_t{1000}, (std::size_t{1} << 18U) + 1}) {
            allReducesByTheAlgorithm<float>(self, ncclFloat32, ncclSum, count);
            allReducesByTheAlgorithm<float>(self, ncclFloat32, ncclAvg, count);
            allReducesByTheAlgorithm<std::int32_t>(self, ncclInt32, ncclMax, count);
        }
        std::vector<float> values(10, static_cast<float>(self.rank)); // others still have their ring
        succeed(ncclBroadcast(values.data(), values.data(), values.size(), ncclFloat32, 0, self.comm,
                              self.stream),
                "ncclBroadcast");
        self.synchronise();
        check(values.front() == 0, "broadcast: wrong values");
        // A rank alone copies.
        check(self.size == 1 ||
                  kernelOfAnAllReduce(self).find("AllReduce_Sum_f32_TREE_LL") != std::string::npos,
              "kernel: " + g_kernel);
    }));
}

INSTANTIATE_TEST_SUITE_P(OfRanks, Trees, ::testing::Values(1, 2, 3, 4, 7));

TEST(Algorithms, areThoseThatNcclAlgoAllows)
{
    struct Case {
        const char* setting;
        const char* kernel;
    };
    for (const Case& each : {Case{"ring", "RING_LL"},
                             {"Tree,Ring", "RING_LL"},
                             {"^ring", "TREE_LL"},
                             {"ring;allreduce:TREE", "TREE_LL"}}) {
        const AlgorithmSetting value(each.setting);
        EXPECT_TRUE(ranksEndWell(2, [&each](Rank& self) {
            check(kernelOfAnAllReduce(self).find(each.kernel) != std::string::npos,
                  each.setting + (": " + g_kernel));
        }));
    }
}

TEST(Algorithms, areRefusedWhereNoneServes)
{
    const AlgorithmSetting setting("tree");
    EXPECT_TRUE(ranksEndWell(2, [](Rank& self) {
        allReducesByTheAlgorithm<float>(self, ncclFloat32, ncclSum, 10);
        float value = 0;
        check(ncclBroadcast(&value, &value, 1, ncclFloat32, 0, self.comm, self.stream) == ncclInvalidUsage,
              "a broadcast has no tree");
        check(std::string(ncclGetLastError(nullptr)).find("NCCL_ALGO was set to tree") != std::string::npos,
              ncclGetLastError(nullptr));
    }));
}

TEST(Algorithms, areRefusedWhereTheyAreUnknown)
{
    for (const char* text : {"rings", "allreduce:star", "alltoall:ring"}) {
        const AlgorithmSetting setting(text);
        EXPECT_TRUE(allEndedWell(startRanks(1, Communicator::None, [&](Rank& self) {
            check(ncclCommInitRank(&self.comm, 1, self.id, 0) == ncclInvalidUsage, text);
        })));
    }
}

} // namespace
} // namespace ringside::test
