// SPDX-License-Identifier: Apache-2.0
// Replays whose answer is known by hand.
#include "golden/training_run.h"
#include "support/trace_builder.h"
#include "whatif/replay.h"
#include "whatif/whatif.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace ringside::whatif {
namespace {

using namespace test;

constexpr double kMs = 1e6;

Prediction ask(const trace::RunTrace& run, const Changes& changes = {})
{
    const model::Model model = model::buildModel(run);
    return WhatIf(model).predict(changes);
}

/// Every rank computes 10 ms, rank 2 so much more; then all reduce, 1 ms.
trace::RunTrace lateRun(nanoseconds late, int steps = 24)
{
    TraceBuilder trace(4);
    trace.withoutStepEndSync();
    trace.steps(steps, [&](StepBuilder& step) {
        step.everyRank().compute(10ms);
        if (late > 0ns) {
            step.rank(2).compute(late);
        }
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return trace.run();
}

TEST(WhatIf, AnUnchangedReplayTakesAsLongAsTheRun)
{
    const Prediction prediction = ask(lateRun(3ms));
    EXPECT_NEAR(prediction.measuredNs, 14 * kMs, 0.01 * kMs);
    EXPECT_NEAR(prediction.replayedNs, 14 * kMs, 0.1 * kMs);
    ASSERT_TRUE(prediction.halfError);
    EXPECT_NEAR(*prediction.halfError, 0, 0.01);
    EXPECT_EQ(prediction.confidence, Confidence::High);
    EXPECT_FALSE(prediction.predictedNs);
}

TEST(WhatIf, WithoutTheLateRankAStepTakesWhatTheOthersNeed)
{
    Changes changes;
    changes.noLateRanks = true;
    const Prediction all = ask(lateRun(3ms), changes);
    ASSERT_TRUE(all.predictedNs);
    EXPECT_NEAR(*all.predictedNs, 11 * kMs, 0.1 * kMs);
    EXPECT_NEAR(*all.savingNs(), 3 * kMs, 0.1 * kMs);

    Changes one;
    one.medianRanks = {2};
    EXPECT_NEAR(*ask(lateRun(3ms), one).predictedNs, 11 * kMs, 0.1 * kMs);
    one.medianRanks = {1}; // it is not the late one
    EXPECT_NEAR(*ask(lateRun(3ms), one).predictedNs, 14 * kMs, 0.1 * kMs);
}

TEST(WhatIf, ARankThatIsNotThereIsRefused)
{
    Changes changes;
    changes.medianRanks = {17};
    EXPECT_THROW((void)ask(lateRun(3ms), changes), Error);
}

TEST(WhatIf, AWholeTrainingRunIsReplayed)
{
    for (const bool overlap : {true, false}) {
        for (const bool synchronize : {true, false}) {
            TrainingRun run;
            run.overlap = overlap;
            run.synchronize = synchronize;
            const Prediction prediction = ask(simulate(run));
            EXPECT_NEAR(prediction.replayError(), 0, 0.01) << overlap << synchronize;
            EXPECT_NEAR(prediction.halfError.value_or(1), 0, 0.01) << overlap << synchronize;
        }
    }
}

TEST(WhatIf, OneStepIsReplayedWithLowConfidence)
{
    TraceBuilder trace(2);
    trace.steps(1, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    const Prediction prediction = ask(trace.run());
    EXPECT_EQ(prediction.confidence, Confidence::Low);
    EXPECT_FALSE(prediction.halfError);
    EXPECT_NEAR(prediction.replayedNs, 11 * kMs, 0.2 * kMs);
}

TEST(WhatIf, ARunWithoutStepsIsRefused)
{
    const TraceBuilder trace(2);
    EXPECT_THROW((void)ask(trace.run()), Error);
}

TEST(WhatIf, ARunWithoutDeviceWorkIsRefused)
{
    TraceBuilder trace(2);
    trace.withoutDeviceTier("profile light");
    trace.steps(10, [](StepBuilder& step) { step.everyRank().compute(1ms); });
    EXPECT_THROW((void)ask(trace.run()), Error);
}

TEST(WhatIf, ThousandsOfStreamsAreRefused)
{
    TraceBuilder trace(1);
    trace.steps(4, [](StepBuilder& step) { step.everyRank().compute(4ms, {.launches = 3000}); });
    trace::RunTrace run = trace.run();
    for (std::size_t i = 0; i < run.processes.front().kernels.size(); ++i) {
        run.processes.front().kernels.stream[i] = static_cast<std::uint32_t>(i % 3000);
    }
    EXPECT_THROW((void)ask(run), Error);
}

/// An operation that meets the other rank at `slot`, on a stream of its own, and holds the host up.
PlannedOp meeting(std::uint32_t slot)
{
    PlannedOp op;
    op.op.lane = 0;
    op.op.slot = slot;
    op.op.communication = true;
    op.delays = {0};
    return op;
}

PlannedSlot slotOf(double ns)
{
    PlannedSlot slot;
    slot.ns = ns;
    slot.factor = {1.0};
    return slot;
}

TEST(Replay, RanksThatMeetInOppositeOrdersAreACircle)
{
    Plan plan;
    plan.samples = 1;
    plan.slots = {slotOf(kMs), slotOf(kMs)};
    for (const std::uint32_t first : {0U, 1U}) {
        PlannedRank rank;
        rank.lanes = 1;
        rank.pace = {1.0};
        rank.ops = {meeting(first), meeting(1 - first)};
        plan.ranks.push_back(std::move(rank));
    }
    EXPECT_THROW((void)replayStepNs(plan), Error);
}

TEST(CostLine, IsFoundThroughAHiccup)
{
    std::vector<SizedTime> points;
    for (const double mib : {1.0, 2.0, 3.0, 4.0, 5.0}) {
        points.push_back({mib * 1e6, 200'000 + mib * 1e6 * 0.5});
    }
    points[2].ns += 5e6;
    const auto line = fitLine(points);
    ASSERT_TRUE(line);
    EXPECT_NEAR(line->nsPerByte, 0.5, 0.01);
    EXPECT_NEAR(line->latencyNs, 200'000, 20'000);
    EXPECT_FALSE(fitLine({{1e6, 1e6}, {1.1e6, 1.1e6}})) << "too much alike";
    EXPECT_FALSE(fitLine({}));
    EXPECT_FALSE(fitLine({{1e6, 5e6}, {4e6, 1e6}})) << "shorter with size";
}

} // namespace
} // namespace ringside::whatif
