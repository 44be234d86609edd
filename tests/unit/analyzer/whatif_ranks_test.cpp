// SPDX-License-Identifier: Apache-2.0
// Changes to what ranks and their hosts do, with answers known by hand.
#include "whatif_fixture.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

#include <functional>

namespace ringside::whatif {
namespace {

using namespace fixture;

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

/// In place of each kernel "stall" its device does nothing.
trace::RunTrace withoutStalls(trace::RunTrace run)
{
    for (trace::ProcessTrace& process : run.processes) {
        for (std::size_t row = 0; row < process.kernels.size(); ++row) {
            if (process.text(process.kernels.name[row]) == "stall") {
                process.kernels.endNs.set(row, process.kernels.startNs[row]);
            }
        }
    }
    return run;
}

/// Rank 2's device begins its work later than it could, for the sum of `stall` over the steps.
trace::RunTrace stallingRun(const std::function<nanoseconds(std::int64_t)>& stall)
{
    TraceBuilder trace(4);
    trace.withoutStepEndSync();
    trace.steps(24, [&](StepBuilder& step) {
        step.everyRank().compute(5ms);
        step.rank(2).compute(stall(step.number()), {.kernel = "stall"});
        step.everyRank().compute(5ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return withoutStalls(trace.run());
}

TEST(WhatIf, ADeviceThatBeginsLateIsLevelledToo)
{
    Changes changes;
    changes.medianRanks = {2};
    const Prediction always = ask(stallingRun([](std::int64_t) { return 3ms; }), changes);
    EXPECT_NEAR(*always.savingNs(), 3 * kMs, 0.1 * kMs);
    // The first and the last step are left out.
    const Prediction seldom =
        ask(stallingRun([](std::int64_t step) { return step == 12 ? nanoseconds(44ms) : 1us; }), changes);
    EXPECT_NEAR(seldom.replayError(), 0, 0.02);
    EXPECT_NEAR(*seldom.savingNs(), 2 * kMs, 0.2 * kMs) << "44 ms of 22 steps";
}

TEST(WhatIf, ARankThatIsNotThereIsRefused)
{
    Changes changes;
    changes.medianRanks = {17};
    EXPECT_THROW((void)ask(lateRun(3ms), changes), Error);
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

/// The host waits for each of four layers, and then does something else for so long.
trace::RunTrace synchronizingRun(nanoseconds idle)
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync();
    trace.steps(24, [&](StepBuilder& step) {
        for (int layer = 0; layer < 4; ++layer) {
            step.everyRank().compute(2ms).synchronize().hostIdle(idle);
        }
    });
    return trace.run();
}

Prediction withoutBlockingCalls(const trace::RunTrace& run)
{
    Changes changes;
    changes.noBlockingCalls = true;
    return ask(run, changes);
}

TEST(WhatIf, WithoutBlockingCallsTheHostLaunchesOn)
{
    EXPECT_NEAR(*withoutBlockingCalls(synchronizingRun(500us)).savingNs(), 2 * kMs, 0.1 * kMs);
    EXPECT_THROW((void)withoutBlockingCalls(lateRun(0ns)), Error)
        << "what streams wait for is only seen in times";
}

/// The thread that waited is woken some time after its device is done.
TEST(WhatIf, WithoutBlockingCallsNoHostIsWoken)
{
    trace::RunTrace run = synchronizingRun(500us);
    for (trace::ProcessTrace& process : run.processes) {
        for (std::size_t i = 0; i < process.apiCalls.size(); ++i) {
            process.apiCalls.endNs.set(i, process.apiCalls.endNs[i] + 200'000);
        }
    }
    const Prediction prediction = withoutBlockingCalls(run);
    EXPECT_NEAR(prediction.replayedNs, 10 * kMs, 0.1 * kMs);
    EXPECT_NEAR(*prediction.savingNs(), 2 * kMs, 0.1 * kMs);
}

/// A device that ran dry takes its time to begin; one with work in its queue does not.
TEST(WhatIf, WithoutBlockingCallsWorkBeginsBehindWhatIsQueued)
{
    trace::RunTrace run = synchronizingRun(0us);
    for (trace::ProcessTrace& process : run.processes) {
        for (std::size_t i = 0; i < process.kernels.size(); ++i) {
            process.kernels.startNs.set(i, process.kernels.startNs[i] + 300'000);
        }
    }
    const Prediction prediction = withoutBlockingCalls(run);
    EXPECT_NEAR(prediction.replayedNs, 8 * kMs, 0.1 * kMs);
    EXPECT_NEAR(*prediction.savingNs(), 4 * 0.3 * kMs, 0.1 * kMs);
}

/// The second call of a layer finds the device done: what the host does before it is its own.
TEST(WhatIf, WithoutBlockingCallsHostWorkBetweenThemStays)
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync();
    trace.steps(24, [](StepBuilder& step) {
        for (int layer = 0; layer < 4; ++layer) {
            step.everyRank().compute(2ms).synchronize().hostIdle(5ms).synchronize();
        }
    });
    const Prediction prediction = withoutBlockingCalls(trace.run());
    EXPECT_NEAR(prediction.replayedNs, 4 * 7 * kMs, 0.1 * kMs);
    EXPECT_NEAR(*prediction.savingNs(), 4 * 2 * kMs, 0.1 * kMs) << "5 of 7 ms a layer are the host's";
}

/// In every other step the device takes longer than the host needs before it blocks.
TEST(WhatIf, ABlockAfterTheDeviceWasDoneOnlyTakesItsCall)
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync();
    trace.steps(24, [](StepBuilder& step) {
        const bool longer = step.number() % 2 == 0;
        step.everyRank().compute(longer ? 20ms : 10ms).hostIdle(15ms).synchronize();
    });
    EXPECT_NEAR(ask(trace.run()).replayedNs, 17.5 * kMs, 0.1 * kMs) << "15 ms and 20 ms";
}

/// Long enough after the block for the host to be looked at there by itself.
TEST(WhatIf, WithoutBlockingCallsHostWorkBeforeThemStays)
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync();
    trace.steps(24, [](StepBuilder& step) {
        for (int layer = 0; layer < 4; ++layer) {
            step.everyRank().compute(2ms).hostIdle(1800us).synchronize().hostIdle(800us);
        }
    });
    const Prediction prediction = withoutBlockingCalls(trace.run());
    EXPECT_NEAR(prediction.replayedNs, 4 * 2.8 * kMs, 0.1 * kMs);
    EXPECT_NEAR(*prediction.savingNs(), 4 * 0.2 * kMs, 0.1 * kMs) << "the host needs 2.6 ms a layer";
}

/// A begin in a full queue that was seen once says nothing of the steps in which the launch came last.
TEST(WhatIf, OneLateBeginIsNotThatOfEveryStep)
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync();
    trace.steps(24, [](StepBuilder& step) {
        const bool stalls = step.number() == 12;
        step.everyRank().compute(10ms).compute(stalls ? nanoseconds(40ms) : 1us, {.kernel = "stall"});
        if (!stalls) {
            step.everyRank().synchronize();
        }
        step.everyRank().compute(1ms).synchronize();
    });
    const Prediction prediction = withoutBlockingCalls(withoutStalls(trace.run()));
    EXPECT_NEAR(prediction.replayError(), 0, 0.02);
    EXPECT_NEAR(*prediction.savingNs(), 0, 0.2 * kMs);
}

/// Rank 2 begins 3 ms late in 15 of 22 steps and at once in the others, the other ranks always 2.2 ms late.
TEST(WhatIf, OnlyBeginsThatWereSeenAreLevelled)
{
    TraceBuilder trace(4);
    trace.withoutStepEndSync();
    trace.steps(24, [](StepBuilder& step) {
        const bool atOnce = step.number() % 3 == 0;
        step.everyRank().compute(5ms);
        for (const int rank : {0, 1, 2, 3}) {
            const nanoseconds late = rank != 2 ? 2200us : atOnce ? 1us : 3000us;
            step.rank(rank).compute(late, {.kernel = "stall"});
        }
        if (atOnce) {
            step.rank(2).synchronize();
        }
        step.everyRank().compute(5ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    Changes changes;
    changes.medianRanks = {2};
    EXPECT_NEAR(*ask(withoutStalls(trace.run()), changes).savingNs(), 0, 0.1 * kMs);
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

/// Steps are compared by what they launch. If longer batches launch more, most replayed steps are of one
/// rank's long batches, and the change between steps is in those that were left out.
TEST(WhatIf, EqualBatchesAreNotJudgedWithoutTheStepsThatLaunchOtherWork)
{
    TraceBuilder trace(3);
    trace.withoutStepEndSync();
    int number = 0;
    trace.steps(24, [&](StepBuilder& step) {
        for (int rank = 0; rank < 3; ++rank) {
            const bool isLong = rank == (number % 5 < 3 ? 0 : number % 2 + 1);
            step.rank(rank).compute(isLong ? 14ms : 10ms, {.launches = isLong ? 9 : 5});
        }
        ++number;
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    Changes changes;
    changes.equalBatches = true;
    EXPECT_EQ(ask(trace.run(), changes).confidence, Confidence::Low);
    changes = {};
    changes.noLateRanks = true;
    EXPECT_EQ(ask(trace.run(), changes).confidence, Confidence::Medium);
}

} // namespace
} // namespace ringside::whatif
