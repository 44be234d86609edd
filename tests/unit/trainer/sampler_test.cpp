// SPDX-License-Identifier: Apache-2.0
#include "sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace ringside::trainer;

namespace {

DistributedSampler samplerFor(unsigned rank, unsigned worldSize, std::uint64_t seed = 7)
{
    return DistributedSampler(
        {.samples = 100, .globalBatch = 24, .rank = rank, .worldSize = worldSize, .seed = seed});
}

std::vector<std::uint64_t> sorted(std::vector<std::uint64_t> values)
{
    std::ranges::sort(values);
    return values;
}

} // namespace

TEST(Sampler, givesAllRanksTogetherWhatOneRankWouldGet)
{
    DistributedSampler alone = samplerFor(0, 1);
    for (std::uint64_t step = 0; step < 10; ++step) {
        std::vector<std::uint64_t> together;
        for (unsigned rank = 0; rank < 4; ++rank) {
            const auto share = samplerFor(rank, 4).indices(step);
            EXPECT_EQ(share.size(), 6U);
            together.insert(together.end(), share.begin(), share.end());
        }
        EXPECT_EQ(sorted(together), sorted(alone.indices(step))) << "step " << step;
    }
}

TEST(Sampler, repeatsNoSampleWithinAnEpoch)
{
    DistributedSampler sampler = samplerFor(0, 1);
    std::set<std::uint64_t> seen;
    for (std::uint64_t step = 0; step < 4; ++step) {
        for (const std::uint64_t index : sampler.indices(step)) {
            EXPECT_LT(index, 100U);
            EXPECT_TRUE(seen.insert(index).second) << index;
        }
    }
}

TEST(Sampler, shufflesEveryEpochAnew)
{
    DistributedSampler sampler = samplerFor(0, 1);
    const auto first = sampler.indices(0);
    EXPECT_NE(first, sampler.indices(4));
    EXPECT_EQ(first, sampler.indices(0)) << "going back gives the same again";
}

TEST(Sampler, dependsOnTheSeed)
{
    EXPECT_NE(samplerFor(0, 1, 7).indices(0), samplerFor(0, 1, 8).indices(0));
}
