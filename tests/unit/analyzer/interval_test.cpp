// SPDX-License-Identifier: Apache-2.0
#include "model/time.h"

#include <gtest/gtest.h>

namespace ringside::model {
namespace {

TEST(LengthOfUnion, CountsTimeOnceHoweverManyWereInIt)
{
    EXPECT_EQ(lengthOfUnion({}), 0);
    EXPECT_EQ(lengthOfUnion({{10, 20}, {30, 35}}), 15) << "apart";
    EXPECT_EQ(lengthOfUnion({{15, 30}, {10, 20}}), 20) << "overlapping, in any order";
    EXPECT_EQ(lengthOfUnion({{10, 40}, {15, 20}, {35, 50}}), 40) << "one within another";
    EXPECT_EQ(lengthOfUnion({{10, 20}, {20, 30}}), 20) << "one after another";
    EXPECT_EQ(lengthOfUnion({{10, 10}, {40, 30}}), 0) << "no time at all, or less";
}

} // namespace
} // namespace ringside::model
