// SPDX-License-Identifier: Apache-2.0
#include "record/ranks.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace ringside;
using namespace ringside::collector;

namespace {

CommunicatorIdentity member(std::uint64_t hash, int rank, int size, int device)
{
    return {.hash = hash, .size = size, .rank = rank, .device = device};
}

trace::RankRow launched(std::int64_t rank, std::int64_t size)
{
    trace::RankRow row;
    row.rank = rank;
    row.worldSize = size;
    row.localRank = 1;
    row.attempt = 2;
    row.source = "RANK";
    return row;
}

TEST(Ranks, ofAProcessWithOneDeviceAreTheLaunchersOne)
{
    const auto rows = ranksOf({member(7, 0, 2, 3), member(8, 1, 4, 3)}, launched(5, 8));
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].rank, 5);
    EXPECT_EQ(rows[0].worldSize, 8);
    EXPECT_EQ(rows[0].source, "RANK");
    EXPECT_EQ(rows[0].device, 3);
}

TEST(Ranks, withoutALauncherAreTheFirstCommunicators)
{
    const auto rows = ranksOf({member(7, 1, 2, -1), member(8, 3, 4, 0)}, std::nullopt);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].rank, 1);
    EXPECT_EQ(rows[0].worldSize, 2);
    EXPECT_EQ(rows[0].source, "communicator");
    EXPECT_FALSE(rows[0].device.has_value());
}

TEST(Ranks, ofAProcessWithSeveralDevicesAreItsMembersOfTheLargestCommunicator)
{
    // The second of two processes with two devices each; the launcher counts processes.
    const auto rows = ranksOf(
        {member(7, 0, 2, 0), member(7, 1, 2, 1), member(9, 2, 4, 0), member(9, 3, 4, 1)}, launched(1, 2));
    ASSERT_EQ(rows.size(), 2U);
    for (int i = 0; i < 2; ++i) {
        const trace::RankRow& row = rows[static_cast<std::size_t>(i)];
        EXPECT_EQ(row.rank, 2 + i);
        EXPECT_EQ(row.worldSize, 4);
        EXPECT_EQ(row.device, i);
        EXPECT_EQ(row.attempt, 2);
        EXPECT_EQ(row.source, "communicator");
    }
}

TEST(Ranks, areUnknownWithoutACommunicator)
{
    EXPECT_TRUE(ranksOf({}, launched(5, 8)).empty());
}

TEST(Ranks, theProgramsWordGoesBeforeTheEnvironment)
{
    setenv("RANK", "1", 1);
    setenv("LOCAL_RANK", "1", 1);
    setenv("WORLD_SIZE", "2", 1);
    setProgramRank({8, 8}); // ranks count from 0
    setProgramRank({-1, 8});
    EXPECT_EQ(launchedRank()->source, "RANK");
    setProgramRank({5, 8});
    const auto row = launchedRank();
    EXPECT_EQ(row->rank, 5);
    EXPECT_EQ(row->worldSize, 8);
    EXPECT_EQ(row->localRank, 1);
    EXPECT_EQ(row->source, "api");
}

} // namespace
