// SPDX-License-Identifier: Apache-2.0
#include "values/quantile.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace ringside::values {
namespace {

using Numbers = std::vector<std::int64_t>;

TEST(Median, isAValueThatOccurred)
{
    EXPECT_EQ(median(Numbers{}), 0);
    EXPECT_EQ(median(Numbers{7}), 7);
    EXPECT_EQ(median(Numbers{9, 1}), 1) << "the lower of two";
    EXPECT_EQ(median(Numbers{9, 1, 5}), 5);
}

TEST(Quantile, isTheNearestValue)
{
    const Numbers values{4, 2, 1, 3, 5};
    EXPECT_EQ(quantile(values, 0), 1);
    EXPECT_EQ(quantile(values, 0.5), 3);
    EXPECT_EQ(quantile(values, 0.6), 3);
    EXPECT_EQ(quantile(values, 0.7), 4);
    EXPECT_EQ(quantile(values, 0.99), 5);
    EXPECT_EQ(quantile(values, 1), 5);
    EXPECT_EQ(quantile(Numbers{}, 0.5), 0);
}

TEST(Quantile, isInterpolatedWhereNumpysIsWanted)
{
    constexpr std::array sorted{1.0, 2.0, 4.0};
    EXPECT_EQ(interpolatedQuantile(sorted, 0), 1.0);
    EXPECT_EQ(interpolatedQuantile(sorted, 0.25), 1.5);
    EXPECT_EQ(interpolatedQuantile(sorted, 0.75), 3.0);
    EXPECT_EQ(interpolatedQuantile(sorted, 1), 4.0);
}

} // namespace
} // namespace ringside::values
