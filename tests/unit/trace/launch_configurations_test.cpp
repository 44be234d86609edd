// SPDX-License-Identifier: Apache-2.0
// Launch configurations: each gets one id, impossible values are left out, and the occupancy that follows.
#include "trace/vocabulary/occupancy.h"
#include "trace/write/launch_configurations.h"

#include <gtest/gtest.h>

#include <limits>

namespace ringside::trace {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

LaunchConfigurationRow rowOf(StringId name, std::optional<std::int64_t> gridX)
{
    LaunchConfigurationRow row;
    row.name = name;
    row.gridX = gridX;
    return row;
}

TEST(LaunchConfigurations, GiveEqualOnesTheSameId)
{
    LaunchConfigurations ids;
    LaunchConfigurationRow row = rowOf(1, 5);
    EXPECT_EQ(ids.idOf(row).id, 1U);
    row.id = 77; // is ignored
    EXPECT_EQ(ids.idOf(row).id, 1U);
    EXPECT_FALSE(ids.idOf(row).isFresh);
    row.name = 2;
    EXPECT_TRUE(ids.idOf(row).isFresh);
    row.sharedBytes = 0; // known, which is not the same as unknown
    EXPECT_EQ(ids.idOf(row).id, 3U);
    EXPECT_EQ(ids.idOf(rowOf(9, std::nullopt)).id, 0U) << "says nothing of a launch";
}

TEST(LaunchConfigurations, RefuseMoreThanTheyMayHold)
{
    LaunchConfigurations ids;
    for (std::int64_t i = 1; i <= std::int64_t{LaunchConfigurations::kMost}; ++i) {
        ASSERT_EQ(ids.idOf(rowOf(1, i)).id, i);
    }
    EXPECT_EQ(ids.idOf(rowOf(1, 70'000)).id, 0U);
    EXPECT_EQ(ids.idOf(rowOf(1, 7)).id, 7U);
    EXPECT_EQ(ids.refused(), 1);
}

TEST(LaunchConfigurations, LeaveOutWhatNoLaunchHas)
{
    LaunchConfigurationRow row;
    for (const std::int64_t value : {std::int64_t{-1}, kHuge, std::numeric_limits<std::int64_t>::min()}) {
        row = {1, 2, value, value, value, value, value, value, value, value, value, value, value};
        LaunchConfigurationRow nothing = rowOf(2, std::nullopt);
        nothing.id = 1;
        EXPECT_EQ(withoutImpossible(row), nothing);
    }
    row = {1, 2, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0};
    EXPECT_EQ(withoutImpossible(row), (LaunchConfigurationRow{1, 2, std::nullopt, 1, 1, std::nullopt, 1, 1,
                                                              std::nullopt, 0, 0, 0, std::nullopt}));
}

struct Case {
    OccupancyInput input;
    double percent;
    OccupancyLimit limit;
};

// The figures are those of cudaOccMaxActiveBlocksPerMultiprocessor in cuda_occupancy.h of CUDA 13.0. Of two
// equal limits the first one counts.
TEST(Occupancy, IsThatOfTheVendorsCalculator)
{
    using enum OccupancyLimit;
    for (const Case& each :
         {Case{{8, 0, 512, 40, 400}, 75, Registers}, Case{{7, 0, 128, 72, 13824}, 43.75, Registers},
          Case{{8, 0, 128, 226, 81920}, 12.5, Registers}, Case{{8, 0, 128, 250, 131072}, 6.25, SharedMemory},
          Case{{9, 0, 640, 96, 103808}, 31.25, Registers}, Case{{9, 0, 32, 16, 0}, 50, Blocks},
          Case{{8, 6, 1024, 32, 0}, 100.0 * 32 / 48, Warps}, Case{{7, 5, 256, 32, 0}, 100, Warps}}) {
        const auto result = theoreticalOccupancy(each.input);
        ASSERT_TRUE(result) << each.input.threads;
        EXPECT_DOUBLE_EQ(result->percent(), each.percent) << each.input.threads;
        EXPECT_EQ(result->limit, each.limit) << each.input.threads;
    }
}

TEST(Occupancy, IsUnknownForUnknownDevicesAndImpossibleBlocks)
{
    EXPECT_FALSE(theoreticalOccupancy({6, 0, 128, 32, 0}));
    EXPECT_FALSE(theoreticalOccupancy({99, 0, 128, 32, 0}));
    EXPECT_FALSE(theoreticalOccupancy({9, 0, 0, 32, 0}));
    EXPECT_FALSE(theoreticalOccupancy({9, 0, 1025, 32, 0}));
    EXPECT_FALSE(theoreticalOccupancy({9, 0, 128, 0, 0}));
    EXPECT_FALSE(theoreticalOccupancy({9, 0, 1024, 255, 0})) << "more registers than a multiprocessor has";
    EXPECT_FALSE(theoreticalOccupancy({9, 0, 128, 32, -1}));
    EXPECT_FALSE(theoreticalOccupancy({9, 0, 128, 32, kHuge}));
    EXPECT_FALSE(theoreticalOccupancy({9, 0, kHuge, kHuge, kHuge}));
    EXPECT_FALSE(theoreticalOccupancy({9, 0, 128, 32, 228 << 10})) << "one KiB of it is the system's";
}

} // namespace
} // namespace ringside::trace
