// SPDX-License-Identifier: Apache-2.0
// Replays whose answer is known by hand.
#include "golden/training_run.h"
#include "json_schema.h"
#include "support/trace_builder.h"
#include "whatif/replay.h"
#include "whatif/whatif.h"

#include <ringside/error.h>

#include <fmt/format.h>
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

/// Late by many waits of its host, each too short to be looked at by itself.
TEST(WhatIf, AHostThatLaunchesSlowlyIsLevelledToo)
{
    TraceBuilder trace(4);
    trace.steps(24, [](StepBuilder& step) {
        for (int i = 0; i < 60; ++i) {
            step.rank(2).hostIdle(100us);
            step.everyRank().compute(50us);
        }
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    Changes changes;
    changes.medianRanks = {2};
    EXPECT_NEAR(*ask(trace.run(), changes).savingNs(), 3 * kMs, 0.4 * kMs);
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

/// Nothing hides communication: 4 MiB and 8 MiB at 10 bytes/ns and 30 us each, then an optimizer of 0.5 ms.
TrainingRun exposedRun()
{
    TrainingRun run;
    run.overlap = false;
    run.jitterNs = 0;
    return run;
}
constexpr double kExposedBytesNs = 12.0 * 1048576.0 / 10;

double saving(const TrainingRun& run, const Changes& changes)
{
    return ask(simulate(run), changes).savingNs().value_or(std::nan(""));
}

TEST(WhatIf, HalfPrecisionSavesHalfOfTheBytesTime)
{
    Changes changes;
    changes.gradients = "fp16";
    EXPECT_NEAR(saving(exposedRun(), changes), kExposedBytesNs / 2, 1e4);
}

TEST(WhatIf, LinksChangeBandwidthAndLatencyApart)
{
    Changes faster;
    faster.bandwidth = {parseLinkChange("x2")};
    EXPECT_NEAR(saving(exposedRun(), faster), kExposedBytesNs / 2, 1e4);
    Changes later;
    later.latency = {parseLinkChange("intra-host=x10")};
    EXPECT_NEAR(saving(exposedRun(), later), -2 * 9 * 30'000, 1e4);
    Changes elsewhere;
    elsewhere.latency = {parseLinkChange("inter-host=x10")};
    EXPECT_THROW((void)saving(exposedRun(), elsewhere), Error) << "there is one host";
    Changes both = faster;
    both.latency = later.latency;
    EXPECT_NEAR(saving(exposedRun(), both), kExposedBytesNs / 2 - 2 * 9 * 30'000, 2e4);
    for (const char* wrong : {"", "x", "x0", "xnan", "=x2", "x-1", "x2x"}) {
        EXPECT_THROW((void)parseLinkChange(wrong), Error) << wrong;
    }
}

TEST(WhatIf, LargerBucketsSaveTheLatencyOfTheMessagesThatGo)
{
    TrainingRun run = exposedRun();
    run.buckets.assign(32, 256_KiB);
    run.buckets.insert(run.buckets.end(), 16, 512_KiB); // 16 MiB: 1 MiB and the rest
    Changes changes;
    changes.bucketBytes = 25_MiB;
    EXPECT_NEAR(saving(run, changes), 46 * 30'000, 5e4);
    changes.bucketBytes = 1;
    EXPECT_THROW((void)saving(run, changes), Error) << "millions of messages";
}

/// 4 and 8 MiB were recorded. Whether a tensor lies across a cut was not.
TEST(WhatIf, BucketsThatSplitRecordedMessagesAreCalledAGuess)
{
    Changes changes;
    changes.bucketBytes = 2_MiB;
    const Prediction split = ask(simulate(exposedRun()), changes);
    EXPECT_EQ(split.confidence, Confidence::Low);
    ASSERT_EQ(split.beyond.size(), 1U);
    // Unsplit, the messages are those of the run: each at its own limit.
    const auto unsplit = fmt::format("a step takes {:.2f} ms", split.measuredNs / kMs);
    EXPECT_NE(split.beyond.front().find(unsplit), std::string::npos) << split.beyond.front() << unsplit;
    EXPECT_TRUE(renderText(split).starts_with("WARNING")) << renderText(split);
    for (const std::uint64_t bytes : {8_MiB, 25_MiB}) {
        changes.bucketBytes = bytes;
        const Prediction joined = ask(simulate(exposedRun()), changes);
        EXPECT_EQ(joined.confidence, Confidence::High) << bytes;
        EXPECT_TRUE(joined.beyond.empty()) << bytes;
    }
}

/// What is beyond the run is said to be, and a latency that nobody saw is not multiplied.
TEST(WhatIf, MoreRanksThanRecordedAreCalledAGuess)
{
    Changes changes;
    changes.ranks = 8;
    const Prediction more = ask(simulate(exposedRun()), changes);
    EXPECT_EQ(more.confidence, Confidence::Low);
    EXPECT_EQ(more.beyond.size(), 1U);
    changes.ranks = 2;
    EXPECT_EQ(ask(simulate(exposedRun()), changes).confidence, Confidence::High);
}

TEST(WhatIf, ALatencyThatWasNotSeenIsNotMultiplied)
{
    TraceBuilder trace(2);
    trace.steps(24, [](StepBuilder& step) {
        step.everyRank().compute(5ms);
        step.allReduce(1_MiB, {.takes = 100us}); // the line meets 0 bytes below 0
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    Changes changes;
    changes.latency = {parseLinkChange("x10")};
    EXPECT_THROW((void)ask(trace.run(), changes), Error);
}

TEST(WhatIf, WhatWasNotRecordedIsRefused)
{
    TrainingRun alike = exposedRun();
    alike.buckets = {4_MiB, 4_MiB};
    Changes half;
    half.gradients = "bf16";
    Changes buckets;
    buckets.bucketBytes = 25_MiB;
    EXPECT_THROW((void)saving(alike, half), Error) << "latency and bandwidth cannot be told apart";
    EXPECT_THROW((void)saving(alike, buckets), Error);

    trace::RunTrace untyped = simulate(exposedRun());
    for (trace::ProcessTrace& process : untyped.processes) {
        for (trace::CollectiveCallRow& call : process.collectiveCalls) {
            call.datatype.reset();
        }
    }
    EXPECT_THROW((void)ask(untyped, half), Error);

    Changes data;
    data.noDataStalls = true;
    EXPECT_THROW((void)ask(lateRun(0ns), data), Error) << "no data loading range";
}

TEST(WhatIf, AccumulationSharesMessagesAndOptimizer)
{
    Changes changes;
    changes.accumulate = 2;
    EXPECT_NEAR(saving(exposedRun(), changes), (kExposedBytesNs + 60'000 + 500'000) / 2, 3e4);
}

TEST(WhatIf, FullOverlapHidesCommunication)
{
    Changes changes;
    changes.fullOverlap = true;
    EXPECT_NEAR(saving(exposedRun(), changes), kExposedBytesNs + 60'000, 3e4);
    TrainingRun waiting = exposedRun();
    waiting.synchronize = true; // for the last step's communication, too
    EXPECT_NEAR(saving(waiting, changes), kExposedBytesNs + 60'000, 3e4);
}

TEST(WhatIf, DataAtHandSaveTheLoadersTime)
{
    TrainingRun run = exposedRun();
    run.dataNs = 8'000'000;
    run.synchronize = true;
    Changes changes;
    changes.noDataStalls = true;
    EXPECT_NEAR(saving(run, changes), 8e6, 5e4);
}

/// Hosts wait for their devices where no call says so, and in every third step for data.
TEST(WhatIf, DelaysThatComePeriodicallyDoNotHideALateRank)
{
    TraceBuilder trace(4);
    int number = 0;
    trace.steps(24, [&](StepBuilder& step) {
        const auto varying = 300us * (number % 5);
        step.everyRank().host(number++ % 3 == 0 ? 12ms : 1ms, "data").compute(10ms + varying);
        step.rank(2).compute(3ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    trace::RunTrace run = trace.run();
    for (trace::ProcessTrace& process : run.processes) {
        process.apiCalls = {};
    }
    Changes changes;
    changes.noLateRanks = true;
    const Prediction prediction = ask(run, changes);
    ASSERT_TRUE(prediction.predictedNs);
    EXPECT_NEAR(*prediction.savingNs(), 3 * kMs, 0.1 * kMs);
}

TEST(WhatIf, WithoutBlockingCallsTheHostLaunchesOn)
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync();
    trace.steps(24, [&](StepBuilder& step) {
        for (int layer = 0; layer < 4; ++layer) {
            step.everyRank().compute(2ms).synchronize().hostIdle(500us);
        }
    });
    Changes changes;
    changes.noBlockingCalls = true;
    EXPECT_NEAR(*ask(trace.run(), changes).savingNs(), 2 * kMs, 0.1 * kMs);
    EXPECT_THROW((void)ask(lateRun(0ns), changes), Error) << "what streams wait for is only seen in times";
}

/// The thread that waited is woken some time after its device is done.
TEST(WhatIf, WithoutBlockingCallsNobodyHasToBeWoken)
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync();
    trace.steps(24, [&](StepBuilder& step) {
        for (int layer = 0; layer < 4; ++layer) {
            step.everyRank().compute(2ms).synchronize().hostIdle(500us);
        }
    });
    trace::RunTrace run = trace.run();
    for (trace::ProcessTrace& process : run.processes) {
        for (std::size_t i = 0; i < process.apiCalls.size(); ++i) {
            process.apiCalls.endNs.set(i, process.apiCalls.endNs[i] + 200'000);
        }
    }
    Changes changes;
    changes.noBlockingCalls = true;
    const Prediction prediction = ask(run, changes);
    EXPECT_NEAR(prediction.replayedNs, 10 * kMs, 0.1 * kMs);
    EXPECT_NEAR(*prediction.savingNs(), 2 * kMs, 0.1 * kMs);
}

/// A device that ran dry takes its time to begin; one with work in its queue does not.
TEST(WhatIf, WithoutBlockingCallsWorkBeginsBehindWhatIsQueued)
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync();
    trace.steps(24, [&](StepBuilder& step) {
        for (int layer = 0; layer < 4; ++layer) {
            step.everyRank().compute(2ms).synchronize();
        }
    });
    trace::RunTrace run = trace.run();
    for (trace::ProcessTrace& process : run.processes) {
        for (std::size_t i = 0; i < process.kernels.size(); ++i) {
            process.kernels.startNs.set(i, process.kernels.startNs[i] + 300'000);
        }
    }
    Changes changes;
    changes.noBlockingCalls = true;
    const Prediction prediction = ask(run, changes);
    EXPECT_NEAR(prediction.replayedNs, 8 * kMs, 0.1 * kMs);
    EXPECT_NEAR(*prediction.savingNs(), 4 * 0.3 * kMs, 0.1 * kMs);
}

/// Two backward passes a step, each followed by the same messages.
trace::RunTrace reducedTwice()
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync();
    trace.steps(24, [&](StepBuilder& step) {
        for (int part = 0; part < 2; ++part) {
            step.everyRank().compute(5ms);
            step.allReduce(4_MiB, {.takes = 1ms});
            step.allReduce(2_MiB, {.takes = 500us});
        }
    });
    return trace.run();
}

TEST(WhatIf, OnlyTheLastReductionOfAStepIsLeft)
{
    Changes changes;
    changes.lastReductionOf = 2;
    EXPECT_NEAR(*ask(reducedTwice(), changes).savingNs(), 1.5 * kMs, 0.05 * kMs);
    changes.lastReductionOf = 3;
    EXPECT_THROW((void)ask(reducedTwice(), changes), Error) << "four messages are not those of three passes";
}

TEST(WhatIf, MapsOfUsedParametersGo)
{
    Changes changes;
    changes.noUsedMaps = true;
    trace::RunTrace run = reducedTwice();
    EXPECT_THROW((void)ask(run, changes), Error) << "there are none";
    constexpr std::int64_t kInt32 = 2;
    for (trace::ProcessTrace& process : run.processes) {
        for (trace::CollectiveCallRow& call : process.collectiveCalls) {
            if (call.bytes == 2_MiB) {
                call.bytes = 4_KiB;
                call.count = 1024;
                call.datatype = kInt32;
            }
        }
    }
    EXPECT_NEAR(*ask(run, changes).savingNs(), 1 * kMs, 0.05 * kMs);
}

TEST(WhatIf, EqualBatchesSaveWhatChangesFromStepToStep)
{
    TraceBuilder trace(4);
    trace.withoutStepEndSync();
    int number = 0;
    trace.steps(24, [&](StepBuilder& step) {
        for (int rank = 0; rank < 4; ++rank) {
            step.rank(rank).compute(rank == number % 4 ? 14ms : 10ms);
        }
        ++number;
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    Changes changes;
    changes.equalBatches = true;
    EXPECT_NEAR(*ask(trace.run(), changes).savingNs(), 3 * kMs, 0.1 * kMs) << "14 ms become 11 on all";
    EXPECT_NEAR(*ask(lateRun(3ms), changes).savingNs(), 0, 0.1 * kMs) << "always the same rank's";
}

TEST(WhatIf, MoreRanksMakeARingLonger)
{
    Changes changes;
    changes.ranks = 8;
    const double bytes = kExposedBytesNs * ((7.0 / 8) / (3.0 / 4) - 1);
    EXPECT_NEAR(saving(exposedRun(), changes), -(bytes + 60'000 * (7.0 / 3 - 1)), 2e4);
}

TEST(WhatIf, SaysFirstThatItsReplayIsOff)
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
