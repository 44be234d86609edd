// SPDX-License-Identifier: Apache-2.0
#include "compare/scaling.h"
#include "json_schema.h"
#include "support/trace_builder.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

namespace ringside::compare {
namespace {

using namespace std::chrono_literals;

report::Report runOf(int ranks, std::chrono::nanoseconds compute, std::chrono::nanoseconds communication)
{
    test::TraceBuilder trace(ranks);
    trace.steps(12, [&](test::StepBuilder& step) {
        step.everyRank().compute(compute);
        step.allReduce(std::uint64_t{4} << 20U, {.takes = communication});
    });
    return report::buildReport(trace.run(), {});
}

std::vector<report::Report> study(std::chrono::nanoseconds computeOfFour)
{
    std::vector<report::Report> runs;
    runs.push_back(runOf(4, computeOfFour, 6ms)); // in any order
    runs.push_back(runOf(2, 8ms, 2ms));
    return runs;
}

TEST(Scaling, OfEqualWorkARankCountsTheRanks)
{
    const Scaling scaling = scalingOf(study(8ms), Work::PerRank);
    ASSERT_EQ(scaling.points.size(), 2U);
    EXPECT_EQ(scaling.points[0].ranks, 2);
    EXPECT_EQ(scaling.points[0].speedUp, 1);
    const double stepRatio = scaling.points[0].stepNs.median / scaling.points[1].stepNs.median;
    EXPECT_NEAR(scaling.points[1].speedUp, 2 * stepRatio, 1e-9);
    EXPECT_NEAR(scaling.points[1].efficiency, stepRatio, 1e-9);
    EXPECT_NEAR(stepRatio, 10.0 / 14.0, 0.05);
    EXPECT_EQ(scaling.biggestLoss, "exposed communication");
    EXPECT_NEAR(scaling.biggestLossNs, 4e6, 1e5);
    EXPECT_TRUE(scaling.remarks.empty());
    EXPECT_FALSE(scaling.low(0.6));
    EXPECT_TRUE(scaling.low(0.8));
}

TEST(Scaling, OfSharedWorkCountsTheTime)
{
    const Scaling scaling = scalingOf(study(4ms), Work::Shared);
    EXPECT_NEAR(scaling.points[1].speedUp, 1.0, 0.05); // 10 ms on 2, 10 ms on 4 ranks
    EXPECT_NEAR(scaling.points[1].efficiency, 0.5, 0.03);
    EXPECT_EQ(scaling.biggestLoss, "exposed communication");
    EXPECT_NEAR(scaling.biggestLossNs, 5e6, 1e5); // a half of 2 ms was due
}

TEST(Scaling, AsksWhenTheWorkSeemsShared)
{
    const Scaling scaling = scalingOf(study(4ms), Work::PerRank);
    ASSERT_EQ(scaling.remarks.size(), 1U);
    EXPECT_NE(scaling.remarks[0].find("--shared-work"), std::string::npos);
    EXPECT_NE(textOf(scaling, 0.7, true, 80).find("--shared-work"), std::string::npos);
}

TEST(Scaling, RefusesWhatIsNoStudy)
{
    std::vector<report::Report> equal;
    equal.push_back(runOf(2, 8ms, 2ms));
    equal.push_back(runOf(2, 9ms, 2ms));
    EXPECT_THROW(static_cast<void>(scalingOf(equal, Work::PerRank)), Error);
    std::vector<report::Report> empty;
    empty.push_back(report::buildReport({}, {}));
    EXPECT_THROW(static_cast<void>(scalingOf(empty, Work::PerRank)), Error);
    EXPECT_THROW(static_cast<void>(scalingOf({}, Work::PerRank)), Error);
}

TEST(Scaling, JsonKeepsItsSchema)
{
    const std::string_view schema = "compare/ringside-scaling-1.schema.json";
    const std::string json = jsonOf(scalingOf(study(8ms), Work::PerRank));
    EXPECT_TRUE(test::keepsSchema(json, schema)) << json;
    Scaling unmeasured = scalingOf(study(4ms), Work::Shared);
    unmeasured.biggestLoss.reset();
    unmeasured.points[0].parts = {};
    EXPECT_TRUE(test::keepsSchema(jsonOf(unmeasured), schema));
    unmeasured.points.resize(1);
    EXPECT_FALSE(test::keepsSchema(jsonOf(unmeasured), schema)) << "one point is no study";
}

} // namespace
} // namespace ringside::compare
