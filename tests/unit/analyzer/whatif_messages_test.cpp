// SPDX-License-Identifier: Apache-2.0
// Changes to messages, to the links that carry them and to how many ranks exchange them, with answers known
// by hand.
#include "whatif_fixture.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ringside::whatif {
namespace {

using namespace fixture;

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

/// Messages of 1 and 4 MiB take 1 and 4 ms. If they were smaller, a floor of the platform (0.8 ms) would
/// show, of which a line through both knows nothing.
TEST(WhatIf, BeyondTheMeasuredSizesItsBoundsHoldWhatAFloorCosts)
{
    TraceBuilder trace(2);
    trace.steps(24, [](StepBuilder& step) {
        step.everyRank().compute(100us);
        step.allReduce(4_MiB, {.takes = 4ms});
        step.allReduce(1_MiB, {.takes = 1ms});
    });
    Changes changes;
    changes.bucketBytes = 512_KiB;
    const Prediction small = ask(trace.run(), changes);
    const double messages = 10;
    const double really = 0.1 * kMs + messages * 0.8 * kMs;
    EXPECT_LT(*small.predictedNs, really) << "the line's answer";
    EXPECT_GE(small.bounds.mostNs, really);
    EXPECT_LE(small.bounds.leastNs, really);
    EXPECT_NE(small.confidence, Confidence::High);
    EXPECT_NE(renderText(small).find("messages of 512.0 KiB were not measured, only of 1.00 MiB to 4.00 MiB"),
              std::string::npos)
        << renderText(small);
    changes.bucketBytes = 4_MiB;
    const Prediction same = ask(trace.run(), changes);
    EXPECT_NEAR(same.bounds.mostNs - same.bounds.leastNs, 2 * same.errorNs(), 1.0) << "nothing new was asked";
}

/// Half of the ranks wait for each other as long as before where the latency is not that of a ring; and what
/// the host withheld from them is not known of another number of ranks on it.
TEST(WhatIf, OfAnotherNumberOfRanksItsBoundsHoldTheSameCosts)
{
    TrainingRun run = exposedRun();
    run.ranks = 8;
    Changes changes;
    changes.ranks = 4;
    const Prediction fewer = ask(simulate(run), changes);
    EXPECT_LT(*fewer.predictedNs, fewer.measuredNs);
    EXPECT_GE(fewer.bounds.mostNs, fewer.measuredNs) << "if messages cost the same";
    EXPECT_EQ(fewer.confidence, Confidence::Medium);
    trace::RunTrace contended = simulate(run);
    for (trace::ProcessTrace& process : contended.processes) {
        process.series.push_back({1000, "process", "recording threads", "run_delay_ns", "counter"});
        constexpr std::int64_t kEvery = 10'000'000;
        for (std::int64_t i = 0; i < 100; ++i) { // for a fifth of the time
            process.samples.timeNs.push_back(process.kernels.startNs[0] + i * kEvery);
            process.samples.series.push_back(1000);
            process.samples.value.push_back(i * kEvery / 5);
        }
    }
    const Prediction freed = ask(contended, changes);
    EXPECT_NEAR(fewer.bounds.leastNs - freed.bounds.leastNs, fewer.measuredNs / 5, fewer.measuredNs / 20);
    EXPECT_NEAR(fewer.bounds.mostNs, freed.bounds.mostNs, 1.0);
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
    EXPECT_EQ(ask(simulate(exposedRun()), changes).confidence, Confidence::Medium);
}

TEST(WhatIf, MoreRanksMakeARingLonger)
{
    Changes changes;
    changes.ranks = 8;
    const double bytes = kExposedBytesNs * ((7.0 / 8) / (3.0 / 4) - 1);
    EXPECT_NEAR(saving(exposedRun(), changes), -(bytes + 60'000 * (7.0 / 3 - 1)), 2e4);
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
