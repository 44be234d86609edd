// SPDX-License-Identifier: Apache-2.0
#include "statistics.h"

#include <gtest/gtest.h>

using ringside::trainer::percentile;

TEST(Percentile, isTheNearestRank)
{
    const std::vector<double> values = {4, 1, 3, 2, 5, 6, 7, 8, 9, 10};
    EXPECT_EQ(percentile(values, 0.5), 5);
    EXPECT_EQ(percentile(values, 0.9), 9);
    EXPECT_EQ(percentile(values, 0.99), 10);
    EXPECT_EQ(percentile(values, 0), 1);
}

TEST(Percentile, ofNothingIsNotANumber)
{
    EXPECT_EQ(percentile({}, 0.5), std::nullopt);
}
