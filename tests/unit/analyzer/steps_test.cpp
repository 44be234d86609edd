// SPDX-License-Identifier: Apache-2.0
// Steps found in three ways, and carried over to the device.
#include "model/model.h"
#include "model/steps.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

namespace ringside::model {
namespace {

using namespace test;

constexpr int kSteps = 12;

TraceBuilder training()
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync().steps(kSteps, [](StepBuilder& step) {
        step.everyRank().hostIdle(1ms).compute(4ms);
        step.allReduce(1_MiB, {.takes = 500us});
        step.everyRank().compute(2ms);
        step.allReduce(2_MiB, {.takes = 500us});
    });
    return trace;
}

/// Turns a rank's step marks into ranges with a name.
void marksToRanges(TraceBuilder& trace, int rank, const std::function<std::string(std::int64_t)>& name)
{
    trace::ProcessTrace& process = trace.process(rank);
    for (const trace::StepRow& step : process.steps) {
        trace::RangeRow range;
        range.name = trace.text(rank, name(step.number));
        range.startNs = step.startNs;
        range.endNs = step.endNs;
        process.ranges.push_back(range);
    }
    process.steps.clear();
}

void expectTiledSteps(const std::vector<Step>& steps)
{
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
        ASSERT_TRUE(steps[i].device && steps[i + 1].device);
        EXPECT_EQ(steps[i].device->end, steps[i + 1].device->start);
        EXPECT_LT(steps[i].number, steps[i + 1].number);
    }
}

TEST(Steps, ComeFromMarks)
{
    const Model model = buildModel(training().run());
    EXPECT_EQ(model.ranks[0].stepSource, StepSource::Mark);
    ASSERT_EQ(model.ranks[0].steps.size(), static_cast<std::size_t>(kSteps));
    expectTiledSteps(model.ranks[0].steps);
    EXPECT_EQ(model.analyzedSteps.front(), 2) << "the first recorded one is left out";
    EXPECT_EQ(model.analyzedSteps.back(), kSteps - 1) << "and the last, whose end is not known";
}

TEST(Steps, ComeFromRangesWithTheirNumbers)
{
    TraceBuilder trace = training();
    for (int rank = 0; rank < 2; ++rank) {
        marksToRanges(trace, rank, [](std::int64_t n) { return "ProfilerStep#" + std::to_string(n + 40); });
    }
    const Model model = buildModel(trace.run());
    EXPECT_EQ(model.ranks[1].stepSource, StepSource::Range);
    ASSERT_EQ(model.ranks[1].steps.size(), static_cast<std::size_t>(kSteps));
    EXPECT_EQ(model.ranks[1].steps.front().number, 41);
    expectTiledSteps(model.ranks[1].steps);
}

TEST(Steps, RangesWithoutANumberAreCounted)
{
    TraceBuilder trace = training();
    marksToRanges(trace, 0, [](std::int64_t) { return "iteration"; });
    const Model model = buildModel(trace.run());
    ASSERT_EQ(model.ranks[0].steps.size(), static_cast<std::size_t>(kSteps));
    EXPECT_EQ(model.ranks[0].steps.back().number, kSteps);
}

TEST(Steps, ComeFromThePeriodOfCollectives)
{
    TraceBuilder trace = training();
    for (int rank = 0; rank < 2; ++rank) {
        trace.process(rank).steps.clear();
    }
    const Model model = buildModel(trace.run());
    EXPECT_EQ(model.ranks[0].stepSource, StepSource::Period);
    EXPECT_NEAR(static_cast<double>(model.ranks[0].steps.size()), kSteps, 1);
    expectTiledSteps(model.ranks[0].steps);
}

TEST(Steps, FewerThanFourAreAnalyzedWhole)
{
    TraceBuilder trace(1);
    trace.steps(3, [](StepBuilder& step) { step.everyRank().compute(1ms); });
    const Model model = buildModel(trace.run());
    EXPECT_TRUE(model.analyzedWhole);
    EXPECT_EQ(model.analyzedSteps.size(), 3U);
}

TEST(FindPeriod, FindsThePatternBehindASetUp)
{
    std::vector<std::uint64_t> tokens = {9, 9, 9};
    for (int i = 0; i < 40; ++i) {
        tokens.insert(tokens.end(), {1, 2, 1, 3});
    }
    EXPECT_EQ(findPeriod(tokens), 4U);
    EXPECT_EQ(findPeriod({1, 2, 3, 4, 5, 6, 7, 8, 9}), 0U);
    EXPECT_EQ(findPeriod({}), 0U);
}

TEST(ParseStepName, KnowsTheUsualOnes)
{
    EXPECT_EQ(parseStepName("ProfilerStep#17")->number, 17);
    EXPECT_EQ(parseStepName("iteration 3")->number, 3);
    EXPECT_EQ(parseStepName("Step_5")->number, 5);
    EXPECT_FALSE(parseStepName("step")->number);
    EXPECT_FALSE(parseStepName("optimizer step"));
    EXPECT_FALSE(parseStepName("step function"));
    EXPECT_FALSE(parseStepName("iterator"));
}

} // namespace
} // namespace ringside::model
