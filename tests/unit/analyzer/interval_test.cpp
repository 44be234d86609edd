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

TEST(IndexAt, IsThatOfTheIntervalThatContainsTheTime)
{
    const std::vector<Interval> intervals{{10, 20}, {20, 30}, {40, 50}};
    const std::vector<std::optional<std::size_t>> expected{{}, 0, 0, 1, {}, {}, 2, {}};
    std::vector<std::optional<std::size_t>> found;
    for (const std::int64_t time : {9, 10, 19, 20, 30, 39, 40, 50}) {
        found.push_back(values::indexAt(intervals, time));
    }
    EXPECT_EQ(found, expected);
}

TEST(CoveredWithin, CountsTheCommonTimeOfASpanAndAUnion)
{
    const auto united = values::unite({{30, 40}, {10, 15}, {12, 20}});
    EXPECT_EQ(united, (std::vector<Interval>{{10, 20}, {30, 40}}));
    EXPECT_EQ(values::coveredWithin(united, {0, 100}), 20);
    EXPECT_EQ(values::coveredWithin(united, {18, 31}), 3);
    EXPECT_EQ(values::coveredWithin(united, {20, 30}), 0);
}

} // namespace
} // namespace ringside::model
