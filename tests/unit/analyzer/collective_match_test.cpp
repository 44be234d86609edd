// SPDX-License-Identifier: Apache-2.0
#include "model/build_model.h"
#include "model/collective_match.h"
#include "model/model.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

namespace ringside::model {
namespace {

using namespace test;

TraceBuilder fourSteps(int ranks)
{
    TraceBuilder trace(ranks);
    trace.steps(4, [](StepBuilder& step) {
        step.everyRank().compute(1ms);
        step.allReduce(1_MiB);
        step.allGather(64_KiB);
    });
    return trace;
}

const trace::IssueRow* issue(const Model& model, std::string_view id)
{
    for (const trace::IssueRow& row : model.issues) {
        if (row.id == id) {
            return &row;
        }
    }
    return nullptr;
}

TEST(MatchCollectives, BringsAllRanksTogether)
{
    const Model model = buildModel(fourSteps(3).run());
    ASSERT_EQ(model.operations.size(), 8U);
    for (const Operation& operation : model.operations) {
        EXPECT_TRUE(operation.measured());
        EXPECT_EQ(operation.participants.size(), 3U);
    }
    EXPECT_EQ(model.operations[0].kind, CollectiveKind::AllReduce);
    EXPECT_EQ(model.operations[1].kind, CollectiveKind::AllGather);
}

TEST(MatchCollectives, ReportsTheRankThatDiffers)
{
    TraceBuilder trace = fourSteps(3);
    ++*trace.process(2).collectiveCalls[4].count;
    const Model model = buildModel(trace.run());
    const trace::IssueRow* const found = issue(model, "collective_mismatch");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->count, 1);
    EXPECT_NE(found->message.find("rank 2"), std::string::npos) << found->message;
    EXPECT_FALSE(model.operations[4].measured());
    EXPECT_TRUE(model.operations[5].measured()) << "the next one still matches";
}

TEST(MatchCollectives, LeavesOutWhatNcclRefused)
{
    constexpr std::int64_t kInvalidArgument = 4;
    constexpr std::int64_t kInProgress = 7;
    TraceBuilder trace = fourSteps(2);
    for (int rank = 0; rank < 2; ++rank) {
        auto& calls = trace.process(rank).collectiveCalls;
        calls[1].result = kInProgress; // it goes on
        trace::CollectiveCallRow refused = calls[3];
        refused.id = 9999;
        refused.result = kInvalidArgument;
        refused.bytes = std::uint64_t{1} << 50U;
        calls.insert(calls.begin() + 3, refused);
    }
    const Model model = buildModel(trace.run());
    const trace::IssueRow* const found = issue(model, "failed_calls");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->count, 2);
    ASSERT_EQ(model.operations.size(), 8U);
    for (const Operation& operation : model.operations) {
        EXPECT_TRUE(operation.measured());
        EXPECT_LE(operation.bytes, std::uint64_t{1} << 30U);
    }
}

TEST(MatchCollectives, LeavesOutTheCallsOfAGroupThatFailed)
{
    TraceBuilder trace = fourSteps(2);
    for (int rank = 0; rank < 2; ++rank) {
        trace::ProcessTrace& process = trace.process(rank);
        trace::GroupRow group;
        group.id = 777;
        group.calls = 1;
        group.result = 5; // ncclInvalidUsage
        process.groups.push_back(group);
        process.collectiveCalls[7].groupId = group.id;
    }
    const Model model = buildModel(trace.run());
    EXPECT_EQ(model.operations.size(), 7U);
    EXPECT_NE(issue(model, "failed_calls"), nullptr);
}

TEST(FindRanks, TakesNoMillionRanksOfOneProcess)
{
    TraceBuilder trace = fourSteps(2);
    for (int rank = 2; rank < 100'000; ++rank) {
        trace::RankRow row = trace.process(0).ranks[0];
        row.rank = rank;
        trace.process(0).ranks.push_back(row);
    }
    const Model model = buildModel(trace.run());
    EXPECT_LT(model.ranks.size(), 20'000U);
    EXPECT_NE(issue(model, "too_many_rows"), nullptr);
}

// As of a call that no wrapper saw: NCCL tells bytes, not elements.
void forgetTypes(trace::ProcessTrace& process)
{
    for (trace::CollectiveCallRow& call : process.collectiveCalls) {
        call.count.reset();
        call.datatype.reset();
    }
}

TEST(MatchCollectives, MatchesCallsOfUnknownTypesByTheirBytes)
{
    TraceBuilder trace = fourSteps(3);
    forgetTypes(trace.process(1));
    forgetTypes(trace.process(2));
    *trace.process(2).collectiveCalls[4].bytes += 4;
    const Model model = buildModel(trace.run());
    const trace::IssueRow* const mismatch = issue(model, "collective_mismatch");
    ASSERT_NE(mismatch, nullptr);
    EXPECT_EQ(mismatch->count, 1);
    EXPECT_NE(mismatch->message.find("1048580 bytes"), std::string::npos) << mismatch->message;
    EXPECT_TRUE(model.operations[0].measured()) << "a rank that knows and one that does not agree";
    const trace::IssueRow* const untyped = issue(model, "datatype_unknown");
    ASSERT_NE(untyped, nullptr);
    EXPECT_EQ(untyped->count, 16);
}

// As of a type newer than the collector: the elements are known, what one takes is not.
TEST(MatchCollectives, AnUnknownElementSizeIsNoBytesAndNotZeroBytes)
{
    TraceBuilder trace = fourSteps(2);
    for (int rank = 0; rank < 2; ++rank) {
        trace.process(rank).collectiveCalls[0].datatype = 99;
        trace.process(rank).collectiveCalls[0].bytes.reset();
        trace.process(rank).collectiveCalls[2].count = 0;
        trace.process(rank).collectiveCalls[2].bytes = 0;
    }
    const Model model = buildModel(trace.run());
    EXPECT_FALSE(model.operations[0].bytes);
    EXPECT_TRUE(model.operations[1].bytes);
    EXPECT_EQ(model.operations[2].bytes, 0U) << "no elements are no bytes";
}

TEST(MatchCollectives, ASizeThatIsNotKnownDisagreesWithNone)
{
    TraceBuilder trace = fourSteps(2);
    trace.process(1).collectiveCalls[0].count.reset();
    trace.process(1).collectiveCalls[0].datatype.reset();
    trace.process(1).collectiveCalls[0].bytes.reset();
    const Model model = buildModel(trace.run());
    EXPECT_EQ(issue(model, "collective_mismatch"), nullptr);
    EXPECT_TRUE(model.operations[0].measured());
}

// As of a split that only NCCL's ranges told of.
TEST(MatchCollectives, CountsTheMembersIfTheSizeIsUnknown)
{
    TraceBuilder trace = fourSteps(3);
    for (int rank = 0; rank < 3; ++rank) {
        trace.process(rank).communicators[0].size = 0;
        trace.process(rank).ranks = {{rank, rank, 3, std::nullopt, 0, "RANK"}};
    }
    trace::RunTrace run = trace.run();
    for (const Operation& operation : buildModel(run).operations) {
        EXPECT_EQ(operation.size, 3);
        EXPECT_TRUE(operation.measured());
    }
    run.processes.pop_back(); // and might have been a member
    for (const Operation& operation : buildModel(run).operations) {
        EXPECT_FALSE(operation.complete());
    }
}

TEST(MatchCollectives, ToleratesAMissingRank)
{
    trace::RunTrace run = fourSteps(3).run();
    run.processes.erase(run.processes.begin() + 1);
    const Model model = buildModel(std::move(run));
    EXPECT_EQ(model.ranks.size(), 2U);
    EXPECT_EQ(model.worldSize, 3);
    ASSERT_EQ(model.operations.size(), 8U);
    EXPECT_FALSE(model.operations[0].complete());
    EXPECT_NE(issue(model, "collective_incomplete"), nullptr);
}

TEST(MatchCollectives, CommunicatorsWithoutAHashAreNotTakenForOne)
{
    TraceBuilder trace = fourSteps(2);
    for (int rank = 0; rank < 2; ++rank) {
        trace.process(rank).communicators.at(0).hash = 0; // of two others, for all that is known
    }
    const Model model = buildModel(trace.run());
    ASSERT_EQ(model.operations.size(), 16U);
    EXPECT_TRUE(std::none_of(model.operations.begin(), model.operations.end(),
                             [](const Operation& operation) { return operation.measured(); }));
    EXPECT_NE(issue(model, "collective_incomplete"), nullptr);
}

TEST(MatchCollectives, ADroppedRecordDoesNotShiftTheOthers)
{
    TraceBuilder trace = fourSteps(2);
    auto& calls = trace.process(1).collectiveCalls;
    calls.erase(calls.begin() + 2);
    const Model model = buildModel(trace.run());
    ASSERT_EQ(model.operations.size(), 8U);
    EXPECT_FALSE(model.operations[2].complete());
    EXPECT_TRUE(model.operations[3].measured());
    EXPECT_EQ(issue(model, "collective_mismatch"), nullptr);
}

TEST(MatchCollectives, FusesTheCallsOfAGroup)
{
    TraceBuilder trace = fourSteps(2);
    for (int rank = 0; rank < 2; ++rank) {
        auto& process = trace.process(rank);
        process.collectiveCalls[0].groupId = 100;
        process.collectiveCalls[1].groupId = 100;
        // One kernel for both: the first one, which the group made.
        process.callCorrelations.call.set(0, 100);
    }
    const Model model = buildModel(trace.run());
    ASSERT_EQ(model.operations.size(), 7U);
    EXPECT_EQ(model.operations[0].calls, 2U);
    EXPECT_EQ(model.operations[0].bytes, (1U << 20U) + (64U << 10U));
    EXPECT_TRUE(model.operations[0].measured());
}

void expectNoShift(std::string_view ofOne, std::string_view ofOther)
{
    TraceBuilder trace = fourSteps(2);
    auto& calls = trace.process(0).collectiveCalls;
    trace::CollectiveCallRow send = calls[2];
    send.id = 1000;
    send.api = trace.text(0, ofOne);
    for (std::size_t i = 2; i < calls.size(); ++i) {
        ++calls[i].sequence;
    }
    calls.insert(calls.begin() + 2, send);
    // The other rank received nothing on this communicator, but has another pair of calls: order decides, not
    // numbers.
    auto& other = trace.process(1).collectiveCalls;
    trace::CollectiveCallRow receive = other[5];
    receive.id = 1000;
    receive.api = trace.text(1, ofOther);
    for (std::size_t i = 5; i < other.size(); ++i) {
        ++other[i].sequence;
    }
    other.insert(other.begin() + 5, receive);
    const Model model = buildModel(trace.run());
    ASSERT_EQ(model.operations.size(), 8U);
    EXPECT_TRUE(std::all_of(model.operations.begin(), model.operations.end(),
                            [](const Operation& operation) { return operation.measured(); }));
}

TEST(MatchCollectives, PointToPointAndOneSidedCallsDoNotShiftCollectives)
{
    expectNoShift("ncclSend", "ncclRecv");
    expectNoShift("ncclPutSignal", "ncclWaitSignal");
    expectNoShift("ncclSignal", "ncclWaitSignal");
}

TEST(MatchCollectives, AConfiguredCallIsTheSameCollective)
{
    EXPECT_EQ(collectiveKind("ncclAllReduceConfig"), CollectiveKind::AllReduce);
    EXPECT_EQ(collectiveKind("ncclScatterConfig"), CollectiveKind::Scatter);
    EXPECT_EQ(collectiveKind("ncclConfig"), CollectiveKind::Other);
}

} // namespace
} // namespace ringside::model
