// SPDX-License-Identifier: Apache-2.0
#include "model/launch_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

namespace ringside::model {
namespace {

LaunchIndex indexOf(const std::vector<std::uint32_t>& correlations)
{
    trace::LaunchColumns launches;
    launches.correlation.append(correlations);
    launches.startNs.append(correlations.size(), 0);
    return LaunchIndex(launches);
}

/// Every id in and around what is there.
void expectFinds(const std::vector<std::uint32_t>& correlations)
{
    const LaunchIndex index = indexOf(correlations);
    std::map<std::uint32_t, std::uint32_t> rows; // the last of equal ones
    for (std::uint32_t row = 0; row < correlations.size(); ++row) {
        rows[correlations[row]] = row;
    }
    for (std::uint32_t id = rows.begin()->first - 130; id != rows.rbegin()->first + 130; ++id) {
        const auto known = rows.find(id);
        ASSERT_EQ(index.find(id), known == rows.end() ? std::nullopt : std::optional(known->second)) << id;
    }
}

TEST(LaunchIndex, FindsDenseIdsInAnyOrder)
{
    std::mt19937 random(1);
    std::vector<std::uint32_t> ids(5000);
    std::iota(ids.begin(), ids.end(), 200U);
    expectFinds(ids);
    std::erase_if(ids, [&](std::uint32_t) { return random() % 3 == 0; });
    expectFinds(ids);
    std::ranges::shuffle(ids, random);
    expectFinds(ids);
    ids[7] = ids[4000];
    expectFinds(ids);
    expectFinds({0xFFFFFF00U});
}

TEST(LaunchIndex, FindsSparseIds)
{
    const LaunchIndex index = indexOf({4'000'000'000U, 5, 100'000'000});
    EXPECT_EQ(index.find(4'000'000'000U), 0U);
    EXPECT_EQ(index.find(5), 1U);
    EXPECT_EQ(index.find(100'000'000), 2U);
    EXPECT_EQ(index.find(6), std::nullopt);
    EXPECT_EQ(index.find(0), std::nullopt);
}

TEST(LaunchIndex, OfNothingIsEmpty)
{
    EXPECT_TRUE(indexOf({}).empty());
    EXPECT_EQ(indexOf({}).find(0), std::nullopt);
    EXPECT_FALSE(indexOf({3}).empty());
}

} // namespace
} // namespace ringside::model
