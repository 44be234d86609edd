// SPDX-License-Identifier: Apache-2.0
// The collective that hangs, missing ranks, and ranks with a different call.
#include "hang_fixture.h"

namespace ringside::test {
namespace {

TEST_F(Hang, nothingIsStuckWhenAllIssuedTheSame)
{
    EXPECT_EQ(analyze().kind, Kind::Nothing);
    EXPECT_TRUE(analyze().collectives.empty());
}

TEST_F(Hang, namesTheRankThatHasNotIssuedWhatTheOthersWaitIn)
{
    stopsBefore(2, 1);
    const hang::Report report = analyze();
    ASSERT_EQ(report.kind, Kind::Missing);
    const hang::StuckCollective& stuck = report.collectives.at(0);
    EXPECT_EQ(stuck.order, 9);
    EXPECT_EQ(stuck.call().function, "ncclAllReduce");
    EXPECT_EQ(stuck.call().bytes, 10240U);
    EXPECT_EQ(stuck.missing, (std::vector<std::int64_t>{2}));
    EXPECT_EQ(stuck.arrived.size(), 3U);
    EXPECT_GE(stuck.waitedNs, 35 * kSecond);
    EXPECT_EQ(said(report.summary)
                  .find("ncclAllReduce #9 of communicator world waits for rank 2, which has not "
                        "issued it; ranks 0, 1 and 3 issued it 35 s before"),
              0U)
        << said(report.summary);
}

TEST_F(Hang, theFirstMissingCollectiveIsTheOneAndNotTheLast)
{
    stopsBefore(1, 4);
    EXPECT_EQ(analyze().collectives.at(0).order, 6);
}

TEST_F(Hang, ranksThatAreMomentsApartAreNotStuck)
{
    stopsBefore(2, 1);
    for (hang::ProcessNow& now : m_now) {
        now.nowNs = m_endNs + kSecond;
    }
    EXPECT_EQ(analyze().kind, Kind::Nothing);
    EXPECT_EQ(analyze(kSecond / 2).kind, Kind::Missing);
    process(0).hangs = {{1, m_endNs + kSecond, m_endNs, std::nullopt, "no collective issued for 1 s"}};
    EXPECT_EQ(analyze().kind, Kind::Missing) << "the watchdog's own timeout was shorter";
    process(0).hangs.front().endedNs = m_endNs + kSecond + 1;
    EXPECT_EQ(analyze().kind, Kind::Nothing) << "it went on";
}

TEST_F(Hang, aCallThatHasNotReturnedIsIssued)
{
    stopsBefore(0, 1);
    stopsBefore(3, 1);
    isIn(0, "ncclAllReduce", m_endNs, 9);
    isIn(3, "cudaStreamSynchronize", m_endNs);
    const hang::Report report = analyze();
    ASSERT_EQ(report.kind, Kind::Missing);
    const hang::StuckCollective& stuck = report.collectives.at(0);
    EXPECT_EQ(stuck.missing, (std::vector<std::int64_t>{3}));
    EXPECT_TRUE(stuck.different.empty()) << "what is not known of a running call is no difference";
    EXPECT_TRUE(stuck.arrived.at(0).inCall);
    EXPECT_EQ(report.ranks.at(3).threads.at(0).function, "cudaStreamSynchronize");
    EXPECT_EQ(report.ranks.at(3).threads.at(0).forNs, 35 * kSecond);
}

TEST_F(Hang, ofAKilledJobWithoutItsRingsTheWatchdogsRowsTell)
{
    stopsBefore(3, 1);
    process(3).hangs = {{4, m_endNs + 20 * kSecond, m_endNs, std::nullopt, "thread 1 has been in cudaFree"}};
    isIn(3, "cudaFree", m_endNs, -1, 4);
    isIn(3, "cudaMalloc", m_endNs, -1, 3); // an earlier hang, which ended
    for (hang::ProcessNow& now : m_now) {
        now = {Life::NotKnown, std::nullopt, false};
    }
    const hang::Report report = analyze();
    ASSERT_EQ(report.kind, Kind::Missing);
    EXPECT_EQ(report.ranks.at(3).threads.at(0).function, "cudaFree");
    EXPECT_EQ(report.ranks.at(3).threads.at(0).forNs, 20 * kSecond);
    EXPECT_NE(hang::formatText(report).find("it hangs: thread 1 has been in cudaFree"), std::string::npos);
}

TEST_F(Hang, namesTheRankThatCallsAnotherFunction)
{
    process(1).strings[901] = "ncclAllGather";
    process(1).collectiveCalls.at(7).api = 901;
    const hang::Report report = analyze();
    ASSERT_EQ(report.kind, Kind::Mismatch);
    EXPECT_EQ(report.collectives.at(0).order, 7);
    EXPECT_EQ(report.collectives.at(0).different, (std::vector<std::int64_t>{1}));
    EXPECT_EQ(said(report.summary),
              "ncclAllReduce #7 of communicator world: rank 1 calls ncclAllGather there");
}

TEST_F(Hang, namesWhatDiffersBesidesTheFunction)
{
    const auto differing = [this](auto&& change) {
        trace::CollectiveCallRow& call = process(2).collectiveCalls.at(5);
        const trace::CollectiveCallRow before = call;
        change(call);
        const hang::Report report = analyze();
        EXPECT_EQ(report.kind, Kind::Mismatch);
        call = before;
        return said(report.summary).substr(said(report.summary).rfind("rank 2"));
    };
    EXPECT_EQ(differing([](auto& call) { call.count = 7; }), "rank 2 calls it with another count");
    EXPECT_EQ(differing([](auto& call) { call.datatype = 2; }), "rank 2 calls it with another data type");
    EXPECT_EQ(differing([](auto& call) { call.reduction = 2; }), "rank 2 calls it with another reduction");
    for (std::size_t rank = 0; rank < 4; ++rank) {
        process(rank).collectiveCalls.at(5).peer = 0;
    }
    EXPECT_EQ(differing([](auto& call) { call.peer = 3; }), "rank 2 calls it with another root");
}

TEST_F(Hang, aDifferenceThatDidNoHarmIsNoMismatch)
{
    process(1).collectiveCalls.at(7).count = 7;
    for (hang::ProcessNow& now : m_now) {
        now = {Life::Closed, std::nullopt, true};
    }
    EXPECT_EQ(analyze().kind, Kind::Nothing);
}

TEST_F(Hang, reportsThatTheMissingRankIsStoppedDeadOrEnded)
{
    stopsBefore(2, 1);
    m_now[2].life = Life::Stopped;
    EXPECT_NE(said(analyze().summary).find("is stopped by a signal"), std::string::npos)
        << said(analyze().summary);
    m_now[2] = {Life::Gone, std::nullopt, true};
    EXPECT_NE(said(analyze().summary).find("and has died"), std::string::npos) << said(analyze().summary);
    process(2).process.endNs = m_endNs;
    m_now[2].life = Life::Closed;
    EXPECT_NE(said(analyze().summary).find("and has ended normally"), std::string::npos)
        << said(analyze().summary);
}

TEST_F(Hang, aDumpOfAJobThatWentOnAndEndedNormallyIsNoHang)
{
    stopsBefore(3, 1);
    for (std::size_t rank = 0; rank < 4; ++rank) {
        process(rank).hangs.push_back({1, m_endNs + kSecond, m_endNs, std::nullopt, "in a call"});
        process(rank).issues.push_back({trace::Issue::DumpedWhileRunning, 1, ""});
        m_now[rank] = {Life::Closed, std::nullopt, true};
    }
    EXPECT_NE(analyze().kind, Kind::Nothing) << "nobody said how it ended";
    for (std::size_t rank = 0; rank < 4; ++rank) {
        process(rank).issues.push_back({trace::Issue::EndedAfterDump, 1, ""});
    }
    const hang::Report report = analyze();
    EXPECT_EQ(report.kind, Kind::Nothing) << said(report.summary);
    EXPECT_FALSE(report.ranks[0].hang.has_value());
}

TEST_F(Hang, namesTheProcessThatEndedFirst)
{
    for (std::size_t rank = 0; rank < 4; ++rank) {
        const std::int64_t lived = m_endNs + (rank == 1 ? 0 : 2 * kSecond);
        process(rank).clockSamples.push_back({lived, lived, std::nullopt, std::nullopt});
        m_now[rank] = {Life::Gone, std::nullopt, true};
    }
    isIn(1, "cudaMemcpyAsync", m_endNs - 1);
    const hang::Report report = analyze();
    ASSERT_EQ(report.kind, Kind::Died);
    EXPECT_EQ(report.diedFirst, 1);
    EXPECT_EQ(said(report.summary).find("rank 1 was the first to end"), 0U) << said(report.summary);
    EXPECT_EQ(report.ranks.at(1).threads.at(0).function, "cudaMemcpyAsync");
}

TEST_F(Hang, theOnlyRankThatEndedIsTheFirst)
{
    m_now[3] = {Life::Gone, std::nullopt, true}; // the others live, and gave a sign at the same time
    EXPECT_EQ(analyze().diedFirst, 3);
    m_now[0] = {Life::Closed, std::nullopt, true};
    EXPECT_EQ(analyze().diedFirst, 3);
}

TEST_F(Hang, namesNoFirstRankIfAllEndedAtOnce)
{
    for (hang::ProcessNow& now : m_now) {
        now = {Life::Gone, std::nullopt, true};
    }
    const hang::Report report = analyze();
    EXPECT_EQ(report.kind, Kind::Died);
    EXPECT_EQ(report.diedFirst, std::nullopt);
    EXPECT_NE(said(report.summary).find("unknown which was first"), std::string::npos)
        << said(report.summary);
}

TEST_F(Hang, lostRecordsAreNoMissingCalls)
{
    process(3).collectiveCalls.erase(process(3).collectiveCalls.begin() + 4,
                                     process(3).collectiveCalls.begin() + 6);
    EXPECT_EQ(analyze().kind, Kind::Nothing);
}

TEST_F(Hang, noRankIsMissingInACommunicatorWithoutAHash)
{
    stopsBefore(2, 1);
    for (std::size_t rank = 0; rank < 4; ++rank) {
        process(rank).communicators.front().hash = 0;
    }
    EXPECT_EQ(analyze().kind, Kind::Nothing);
}

TEST_F(Hang, membersWithoutATraceAreCounted)
{
    stopsBefore(2, 1);
    m_run.processes.pop_back();
    m_now.pop_back();
    EXPECT_EQ(analyze().collectives.at(0).notRecorded, 1);
}

} // namespace
} // namespace ringside::test
