// SPDX-License-Identifier: Apache-2.0
#include "busy_length.h"

#include <gtest/gtest.h>

namespace ringside::trainer {
namespace {

TEST(BusyLength, LeavesTheLaunchOut)
{
    // 1000 iterations of 4 us and a launch of 1 ms.
    EXPECT_EQ(iterationsLasting(40, 1000, 5, 9), 10'000U);
}

TEST(BusyLength, StaysNearWhatWasAskedForWhenAMeasurementWasDisturbed)
{
    for (const double twiceMs : {9.9, 5.0, 5.000001, 4.0, 0.0}) {
        EXPECT_LE(iterationsLasting(40, 1000, 5, twiceMs), 16'000U) << twiceMs;
    }
}

TEST(BusyLength, IsNeverNothing)
{
    EXPECT_EQ(iterationsLasting(0.001, 1, 5, 10), 1U);
}

} // namespace
} // namespace ringside::trainer
