// SPDX-License-Identifier: Apache-2.0
// Changes that cannot be predicted are refused, and the message names the missing data.
#include "whatif_fixture.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

namespace ringside::whatif {
namespace {

using namespace fixture;

/// The sentence and the hint of the refusal; empty: there was an answer.
std::string refusalOf(const trace::RunTrace& run, const Changes& changes)
{
    try {
        (void)ask(run, changes);
    } catch (const Error& error) {
        return std::string(error.what()) + "\n" + error.hint;
    }
    return {};
}

Changes fasterLinks(std::string_view how)
{
    Changes changes;
    changes.bandwidth = {parseLinkChange(how)};
    return changes;
}

std::vector<Changes> changesOfMessages()
{
    std::vector<Changes> all(7);
    all[0] = fasterLinks("x2");
    all[1].latency = {parseLinkChange("x2")};
    all[2].bucketBytes = 25_MiB;
    all[3].gradients = "fp16";
    all[4].accumulate = 2;
    all[5].noUsedMaps = true;
    all[6].lastReductionOf = 2;
    return all;
}

trace::RunTrace oneRankOf(const trace::RunTrace& run)
{
    trace::RunTrace one = run;
    one.processes.resize(1);
    return one;
}

trace::RunTrace withoutSizes(trace::RunTrace run)
{
    for (trace::ProcessTrace& process : run.processes) {
        for (trace::CollectiveCallRow& call : process.collectiveCalls) {
            call.bytes.reset();
            call.count.reset();
        }
    }
    return run;
}

TEST(WhatIfRefusals, ARunOfOneRankIsRefusedForTheMissingRanks)
{
    const trace::RunTrace run = oneRankOf(simulate(exposedRun()));
    for (const Changes& changes : changesOfMessages()) {
        const std::string refusal = refusalOf(run, changes);
        EXPECT_NE(refusal.find("1 of 4 ranks"), std::string::npos) << changes.describe().front() << refusal;
        EXPECT_EQ(refusal.find("''"), std::string::npos) << refusal;
    }
    std::vector<Changes> ofRanks(4);
    ofRanks[0].noLateRanks = true;
    ofRanks[1].medianRanks = {0};
    ofRanks[2].equalBatches = true;
    ofRanks[3].fullOverlap = true;
    for (const Changes& changes : ofRanks) {
        EXPECT_NE(refusalOf(run, changes).find("1 of 4 ranks"), std::string::npos) << refusalOf(run, changes);
    }
}

TEST(WhatIfRefusals, MessagesWithoutSizesAreNotOfOneSize)
{
    const trace::RunTrace run = withoutSizes(simulate(exposedRun()));
    for (const Changes& changes : changesOfMessages()) {
        const std::string refusal = refusalOf(run, changes);
        EXPECT_NE(refusal.find("size"), std::string::npos) << changes.describe().front() << refusal;
        EXPECT_EQ(refusal.find("nearly one size"), std::string::npos) << refusal;
        EXPECT_NE(refusal.find("not recorded"), std::string::npos) << refusal;
    }
}

TEST(WhatIfRefusals, AStepWithoutCommunicationIsRefused)
{
    TraceBuilder trace(2);
    trace.steps(12, [](StepBuilder& step) { step.everyRank().compute(5ms); });
    for (const Changes& changes : changesOfMessages()) {
        const std::string refusal = refusalOf(trace.run(), changes);
        EXPECT_NE(refusal.find("no communication"), std::string::npos) << refusal;
    }
}

TEST(WhatIfRefusals, AGroupThatIsNotThereIsAnsweredWithThoseThatAre)
{
    const trace::RunTrace run = simulate(exposedRun());
    for (const char* where : {"inter-host=x2", "ffff=x2"}) {
        const std::string refusal = refusalOf(run, fasterLinks(where));
        EXPECT_NE(refusal.find("intra-host"), std::string::npos) << refusal;
        EXPECT_NE(refusal.find("communicator"), std::string::npos) << refusal;
    }
}

TEST(WhatIfRefusals, GradientsOfAPartOfTheRanksAreNamed)
{
    trace::RunTrace run = simulate(exposedRun());
    for (trace::ProcessTrace& process : run.processes) {
        process.ranks.front().worldSize = 8;
    }
    Changes half;
    half.gradients = "fp16";
    const std::string refusal = refusalOf(run, half);
    EXPECT_NE(refusal.find("over all 8 ranks"), std::string::npos) << refusal;
}

TEST(WhatIfRefusals, ARankThatIsNotThereIsAnsweredWithThoseThatAre)
{
    Changes changes;
    changes.medianRanks = {9};
    const std::string refusal = refusalOf(lateRun(3ms), changes);
    EXPECT_NE(refusal.find("0, 1, 2, 3"), std::string::npos) << refusal;
}

/// Rank 0 is last at the first all-reduce, rank 1 at the second, though it has less to do over the step.
trace::RunTrace takingTurns(int steps)
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync();
    trace.steps(steps, [](StepBuilder& step) {
        step.rank(0).compute(10ms);
        step.allReduce(8_MiB, {.takes = 2ms});
        step.rank(0).compute(step.number() / 2 % 2 == 0 ? 500us : 8900us);
        step.rank(1).compute(9ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return trace.run();
}

TEST(WhatIfRefusals, EqualBatchesThatWouldMakeItWorseAreRefusedWithTheReason)
{
    Changes changes;
    changes.equalBatches = true;
    const std::string refusal = refusalOf(takingTurns(6), changes);
    EXPECT_NE(refusal.find("longer"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("rank 1"), std::string::npos) << refusal;
    changes.bandwidth = {parseLinkChange("x4")}; // which saves more than equal batches cost
    EXPECT_NE(refusalOf(takingTurns(6), changes).find("rank 1"), std::string::npos)
        << refusalOf(takingTurns(6), changes);
}

TEST(WhatIfRefusals, OneStepDoesNotTellBatchesFromRanksThatAlwaysHaveMore)
{
    Changes changes;
    changes.equalBatches = true;
    const std::string refusal = refusalOf(lateRun(3ms, 1), changes);
    EXPECT_NE(refusal.find("one step"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("steps"), std::string::npos) << refusal;
}

} // namespace
} // namespace ringside::whatif
