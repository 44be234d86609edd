// SPDX-License-Identifier: Apache-2.0
// Which runs are replayed, the error of the replay, and the output.
#include "json_schema.h"
#include "whatif/replay.h"
#include "whatif_fixture.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

namespace ringside::whatif {
namespace {

using namespace fixture;

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
    Changes changes;
    changes.noLateRanks = true;
    const Prediction prediction = ask(trace.run(), changes);
    EXPECT_EQ(prediction.confidence, Confidence::Low);
    EXPECT_FALSE(prediction.halfError);
    const std::string text = renderText(prediction);
    EXPECT_NE(text.find("(one step)"), std::string::npos) << text;
    EXPECT_NE(text.find("Confidence: low: 1 step"), std::string::npos) << text;
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
        run.processes.front().kernels.stream.set(i, static_cast<std::uint32_t>(i % 3000));
    }
    EXPECT_THROW((void)ask(run), Error);
}

TEST(WhatIf, ReportsFirstThatItsReplayIsOff)
{
    Prediction prediction;
    prediction.measuredNs = 10 * kMs;
    prediction.replayedNs = 11 * kMs;
    prediction.changes = {"no late ranks"};
    prediction.predictedNs = 9 * kMs;
    EXPECT_TRUE(renderText(prediction).starts_with("WARNING"));
    prediction.replayedNs = 10.1 * kMs;
    EXPECT_FALSE(renderText(prediction).starts_with("WARNING"));
}

TEST(WhatIf, ClaimsNoGainBelowItsOwnError)
{
    Prediction prediction;
    prediction.measuredNs = 10 * kMs;
    prediction.replayedNs = 10.3 * kMs;
    prediction.changes = {"no late ranks"};
    prediction.predictedNs = 9.8 * kMs;
    EXPECT_FALSE(prediction.isBeyondError());
    const std::string unclear = renderText(prediction);
    EXPECT_NE(unclear.find("0.30 ms"), std::string::npos) << unclear;
    EXPECT_EQ(unclear.find("saves"), std::string::npos) << unclear;
    EXPECT_NE(renderJson(prediction).find("\"beyond_error\": false"), std::string::npos);

    prediction.predictedNs = 10.2 * kMs; // nor a loss
    EXPECT_EQ(renderText(prediction).find("costs"), std::string::npos) << renderText(prediction);

    prediction.predictedNs = 9.6 * kMs;
    EXPECT_TRUE(prediction.isBeyondError());
    EXPECT_NE(renderText(prediction).find("saves 0.40 ms"), std::string::npos) << renderText(prediction);
    prediction.halfError = -0.045; // the larger one counts
    EXPECT_FALSE(prediction.isBeyondError());
}

TEST(WhatIf, JsonKeepsItsSchema)
{
    const std::string_view schema = "whatif/ringside-whatif-1.schema.json";
    EXPECT_TRUE(keepsSchema(renderJson(ask(simulate(exposedRun()))), schema)) << "nothing changed";
    Changes changes;
    changes.bucketBytes = 2_MiB; // beyond the run
    const std::string guess = renderJson(ask(simulate(exposedRun()), changes));
    EXPECT_TRUE(keepsSchema(guess, schema)) << guess;
    std::string wrong = guess;
    wrong.replace(wrong.find("\"low\""), 5, "\"bad\"");
    EXPECT_FALSE(keepsSchema(wrong, schema)) << wrong;
    EXPECT_TRUE(keepsSchema(renderJson(ask(lateRun(0ns, 1))), schema)) << "one step: no halves";
}

/// Ends that never came, times that run backwards, launches of nothing: any answer or a refusal, no more.
TEST(WhatIf, DamagedTimesEndInAnAnswerOrARefusal)
{
    for (const int damage : {0, 1, 2, 3, 4}) {
        trace::RunTrace run = simulate(exposedRun());
        for (trace::ProcessTrace& process : run.processes) {
            for (std::size_t i = 0; i < process.kernels.size(); i += 3) {
                process.kernels.endNs.set(i, damage == 0 ? 0 : process.kernels.endNs[i]);
                process.kernels.startNs.set(i, damage == 1 ? (1LL << 58) : process.kernels.startNs[i]);
                process.kernels.correlation.set(i, damage == 2 ? 0 : process.kernels.correlation[i]);
            }
            for (std::size_t i = 0; i < process.launches.size(); i += 2) {
                process.launches.endNs.set(i, damage == 3 ? -(1LL << 58) : process.launches.endNs[i]);
                process.launches.startNs.set(i, damage == 4 ? (1LL << 58) : process.launches.startNs[i]);
            }
        }
        Changes changes;
        changes.noLateRanks = true;
        changes.fullOverlap = true;
        changes.accumulate = 3;
        try {
            EXPECT_FALSE(renderJson(ask(run, changes)).empty());
        } catch (const Error& error) {
            EXPECT_STRNE(error.what(), "");
        }
    }
}

/// An operation that meets the other rank at `slot`, on a stream of its own, and holds the host up.
PlannedOp meeting(std::uint32_t slot)
{
    PlannedOp op;
    op.op.lane = 0;
    op.op.slot = slot;
    op.op.communication = true;
    op.delays.emplace_back();
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
    plan.slotTable = {slotOf(kMs), slotOf(kMs)};
    for (const std::uint32_t first : {0U, 1U}) {
        PlannedRank rank;
        rank.lanes = 1;
        rank.pace = {1.0};
        rank.ops = {meeting(first), meeting(1 - first)};
        plan.ranks.push_back(std::move(rank));
    }
    EXPECT_THROW((void)replayStepNs(plan), Error);
}

} // namespace
} // namespace ringside::whatif
