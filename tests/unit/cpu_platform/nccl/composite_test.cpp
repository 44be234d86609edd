// SPDX-License-Identifier: Apache-2.0
// AlltoAll, Gather and Scatter against what each block must be.
#include "ranks.h"

#include <gtest/gtest.h>

namespace ringside::test {
namespace {

/// What rank `from` has for rank `to`.
int element(int from, int to, std::size_t index)
{
    return from * 1'000'000 + to * 10'000 + static_cast<int>(index % 10'000);
}

std::vector<int> blocks(const Rank& self, std::size_t count)
{
    std::vector<int> values;
    for (int to = 0; to < self.size; ++to)
        for (std::size_t i = 0; i < count; ++i)
            values.push_back(element(self.rank, to, i));
    return values;
}

void expectBlock(const std::vector<int>& values, std::size_t first, std::size_t count, int from, int to,
                 const std::string& what)
{
    for (std::size_t i = 0; i < count; ++i)
        if (values[first + i] != element(from, to, i))
            check(false, what + ": wrong value in the block from rank " + std::to_string(from));
}

class Composites : public ::testing::TestWithParam<int> {};

TEST_P(Composites, bringEveryBlockToItsRank)
{
    EXPECT_TRUE(ranksEndWell(GetParam(), [](Rank& self) {
        const auto ranks = static_cast<std::size_t>(self.size);
        for (const std::size_t count :
             {std::size_t(0), std::size_t(1), std::size_t(1000), std::size_t(200'003)}) {
            const std::vector<int> own = blocks(self, count);
            std::vector<int> exchanged(own.size(), -1);
            std::vector<int> gathered(own.size(), -1);
            std::vector<int> scattered(count, -1);
            const int root = static_cast<int>(count) % self.size;
            const bool isRoot = self.rank == root;
            succeed(ncclAlltoAll(own.data(), exchanged.data(), count, ncclInt32, self.comm, self.stream),
                    "ncclAlltoAll");
            succeed(ncclGather(own.data(), isRoot ? gathered.data() : nullptr, count, ncclInt32, root,
                               self.comm, self.stream),
                    "ncclGather");
            succeed(ncclScatter(isRoot ? own.data() : nullptr, scattered.data(), count, ncclInt32, root,
                                self.comm, self.stream),
                    "ncclScatter");
            self.synchronise();
            for (std::size_t from = 0; from < ranks; ++from) {
                const int rank = static_cast<int>(from);
                expectBlock(exchanged, from * count, count, rank, self.rank, "all-to-all");
                if (isRoot)
                    expectBlock(gathered, from * count, count, rank, 0, "gather");
            }
            expectBlock(scattered, 0, count, root, self.rank, "scatter");
        }
    }));
}

INSTANTIATE_TEST_SUITE_P(Ranks, Composites, ::testing::Values(1, 2, 3, 8));

TEST(Composites, refuseWhatDoesNotFit)
{
    EXPECT_TRUE(ranksEndWell(1, [](Rank& self) {
        int value = 0;
        check(ncclGather(&value, &value, 1, ncclInt32, 1, self.comm, self.stream) == ncclInvalidArgument,
              "a root that is no rank was accepted");
        check(ncclScatter(nullptr, &value, 1, ncclInt32, 0, self.comm, self.stream) == ncclInvalidArgument,
              "a root without data was accepted");
        check(ncclAlltoAll(&value, nullptr, 1, ncclInt32, self.comm, self.stream) == ncclInvalidArgument,
              "a null target was accepted");
    }));
}

} // namespace
} // namespace ringside::test
