// SPDX-License-Identifier: Apache-2.0
// Runs whose steps reduce their gradients once or after each backward pass: sync_every_micro_step, and
// small_messages, which counts by reduction.
#include "report_of_run.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ringside::test {
namespace {

/// Every `perPass` messages get a range "backward" of their own; not `allSent`: with another before it, in
/// which nothing is sent.
void addPasses(TraceBuilder& trace, std::size_t perPass, bool allSent)
{
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        trace::ProcessTrace& process = trace.process(rank);
        for (std::size_t i = 0; i + perPass <= process.collectiveCalls.size(); i += perPass) {
            const trace::CollectiveCallRow& first = process.collectiveCalls[i];
            const trace::CollectiveCallRow& last = process.collectiveCalls[i + perPass - 1];
            trace::RangeRow pass{.name = trace.text(rank, "backward"),
                                 .startNs = first.startNs - 100,
                                 .endNs = last.endNs + 10};
            if (!allSent) {
                process.ranges.push_back(pass);
                process.ranges.back().startNs -= 100;
                process.ranges.back().endNs = pass.startNs - 10;
            }
            process.ranges.push_back(pass);
        }
        std::ranges::sort(process.ranges, {}, &trace::RangeRow::startNs);
    }
}

/// Four messages of one size in a step.
TrainingRun equalMessages(std::size_t perPass, bool allSent)
{
    TrainingRun run;
    run.buckets = {4U << 20U, 4U << 20U, 4U << 20U, 4U << 20U};
    run.bytesPerNs = 2;
    run.edit = [=](TraceBuilder& trace) { addPasses(trace, perPass, allSent); };
    return run;
}

TEST(SyncEveryMicroStep, UsesThePassesIfSizesAreEqual)
{
    const auto findings = [](const TrainingRun& run) {
        return findingsOf(reportOf(run), "sync_every_micro_step");
    };
    EXPECT_EQ(findings(equalMessages(2, true)).size(), 1U) << "both passes of a step send";
    EXPECT_TRUE(findings(equalMessages(4, false)).empty()) << "only the second of two passes sends";
}

/// Each of so many backward passes sends so many small messages, of two sizes.
TrainingRun inPasses(std::size_t passes, std::size_t messages)
{
    TrainingRun run;
    run.overlap = false;
    run.buckets.clear();
    for (std::size_t i = 0; i < passes * messages; ++i) {
        run.buckets.push_back(i % 2 == 0 ? 64U << 10U : 256U << 10U);
    }
    run.edit = [=](TraceBuilder& trace) { addPasses(trace, messages, true); };
    return run;
}

TEST(SmallMessages, AreCountedByReduction)
{
    const auto findings = [](std::size_t messages) {
        return findingsOf(reportOf(inPasses(3, messages)), "small_messages").size();
    };
    EXPECT_EQ(findings(2), 0U) << "six a step, but two a reduction are no small buckets";
    EXPECT_EQ(findings(8), 1U);
}

TEST(SmallMessages, AreNotReplayedTogetherAcrossReductions)
{
    const auto replayed = [](std::size_t passes, std::size_t messages) {
        const Json found = findingsOf(reportOf(inPasses(passes, messages)), "small_messages");
        return !found.empty() && found[0]["figures"].contains("replayed_saving_ns_per_step");
    };
    EXPECT_TRUE(replayed(1, 24));
    EXPECT_FALSE(replayed(3, 8)) << "buckets of all 24 would join those of different passes";
}

/// Fewer messages would let the last gradients leave no earlier where the network is idle before them. Few
/// steps, so that no replay says it.
TEST(SmallMessages, CostNothingWhereEachLeavesAtOnce)
{
    const auto cost = [](bool overlap) {
        TrainingRun run;
        run.steps = 7;
        run.computeNs = 40 * kMillisecond;
        run.buckets = {256U << 10U, 1U << 20U, 512U << 10U, 2U << 20U, 512U << 10U};
        run.latencyNs = 1'000'000;
        run.bytesPerNs = 1;
        run.overlap = overlap;
        const Json found = findingsOf(reportOf(run), "small_messages");
        return found.empty() ? Json() : found[0]["cost_ns_per_step"];
    };
    EXPECT_EQ(cost(true), 0);
    EXPECT_GT(cost(false), 2'000'000);
}

/// Messages of a model of equal blocks, without ranges around backward.
TEST(SyncEveryMicroStep, IsNotSeenInBlocksThatRepeat)
{
    const auto claims = [](std::vector<std::uint64_t> pass, std::size_t passes) {
        TrainingRun run;
        run.bytesPerNs = 2;
        run.buckets.clear();
        for (std::size_t i = 0; i < passes; ++i) {
            run.buckets.insert(run.buckets.end(), pass.begin(), pass.end());
        }
        return findingsOf(reportOf(run), "sync_every_micro_step").size();
    };
    std::vector<std::uint64_t> sharded(32, 1U << 20U); // a block each, as FSDP sends them
    sharded.push_back(2U << 20U);                      // and what is in none
    EXPECT_EQ(claims(sharded, 1), 0U);
    EXPECT_EQ(claims(sharded, 2), 1U);
    std::vector<std::uint64_t> buckets{1U << 18U}; // the first is smaller on purpose
    for (int block = 0; block < 20; ++block) {
        buckets.insert(buckets.end(), {1U << 20U, 2U << 20U});
    }
    buckets.push_back(3U << 20U);
    EXPECT_EQ(claims(buckets, 1), 0U);
    EXPECT_EQ(claims(buckets, 3), 1U);
}

/// Every third step ends before its last message, which so is the next one's.
TEST(SyncEveryMicroStep, IsSeenWhereMessagesSlipIntoTheNextStep)
{
    TrainingRun run;
    run.buckets = {4U << 20U, 8U << 20U, 4U << 20U, 8U << 20U};
    run.bytesPerNs = 2;
    run.edit = [&run](TraceBuilder& trace) {
        for (int rank = 0; rank < trace.ranks(); ++rank) {
            trace::ProcessTrace& process = trace.process(rank);
            for (std::size_t step = 3; step < process.steps.size(); step += 3) {
                const std::int64_t last = process.collectiveCalls[step * run.buckets.size() - 1].startNs;
                process.steps[step - 1].endNs = last - 100;
                process.steps[step].startNs = last - 100;
            }
        }
    };
    EXPECT_EQ(findingsOf(reportOf(run), "sync_every_micro_step").size(), 1U);
}

} // namespace
} // namespace ringside::test
