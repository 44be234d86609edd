// SPDX-License-Identifier: Apache-2.0
// Ranks that wait for each other: in another communicator, in a circle, and in pairs.
#include "hang_fixture.h"

#include <functional>

namespace ringside::test {
namespace {

TEST_F(Hang, sendAndReceiveDoNotShiftTheOrder)
{
    // Rank 0 sends before its fourth collective, so that its numbers run ahead of the others'.
    process(0).strings[902] = "ncclSend";
    auto& calls = process(0).collectiveCalls;
    for (std::size_t i = 3; i < calls.size(); ++i) {
        ++calls[i].sequence;
    }
    trace::CollectiveCallRow send = calls[3];
    send.api = 902;
    send.sequence = 3;
    send.id = 99;
    calls.push_back(send);
    EXPECT_EQ(analyze().kind, Kind::Nothing);
    stopsBefore(2, 1);
    const hang::Report report = analyze();
    ASSERT_EQ(report.kind, Kind::Missing);
    EXPECT_EQ(report.collectives.at(0).order, 9);
    EXPECT_TRUE(report.collectives.at(0).ordersByPlace);
    EXPECT_EQ(report.collectives.at(0).missing, (std::vector<std::int64_t>{2}));
}

TEST_F(Hang, aRankThatIsMissingBecauseItWaitsElsewhereIsNotTheCause)
{
    // Ranks 0 and 1 also share a communicator, in which 1 waits for nobody, and 0 waits for 1. Rank 1 waits
    // with all others for rank 3.
    stopsBefore(3, 1);
    addPair();
    issueOnPair(0, -kSecond); // it has waited longer
    const hang::Report report = analyze();
    ASSERT_EQ(report.collectives.size(), 2U);
    EXPECT_EQ(report.collectives[0].missing, (std::vector<std::int64_t>{3}));
    EXPECT_EQ(report.collectives[1].missing, (std::vector<std::int64_t>{1}));
}

TEST_F(Hang, aProcessThatCallsOtherThingsIsNotStuckForWantOfCollectives)
{
    // An evaluation: no collective for longer than the watchdog's patience, but the GPU is busy.
    for (std::size_t rank = 0; rank < 4; ++rank) {
        process(rank).hangs = {
            {1, m_endNs + 20 * kSecond, m_endNs, std::nullopt, "no collective issued for 20 s"}};
        hasCalled(rank, m_endNs + 34 * kSecond);
    }
    EXPECT_EQ(analyze().kind, Kind::Nothing) << said(analyze().summary);
    for (hang::ProcessNow& now : m_now) {
        now.nowNs = m_endNs + 60 * kSecond;
    }
    EXPECT_EQ(analyze().kind, Kind::Waiting) << "they call nothing any more";
}

TEST_F(Hang, aNewCommunicatorWaitsForTheRanksThatDoNotMakeIt)
{
    for (const std::size_t rank : {0U, 1U, 3U}) {
        makesCommunicator(rank, "ncclCommInitRankConfig", 0, 4);
    }
    const hang::Report report = analyze();
    EXPECT_EQ(report.kind, Kind::Missing);
    EXPECT_EQ(report.origins.at(0).ranks, (std::vector<std::int64_t>{2}));
    EXPECT_TRUE(report.collectives.at(0).setup);
    EXPECT_EQ(said(report.summary),
              "ncclCommInitRankConfig of a communicator of 4 ranks waits for rank 2, which "
              "has not issued it; ranks 0, 1 and 3 issued it 35 s before");
}

TEST_F(Hang, whomANewCommunicatorOfSomeRanksWaitsForIsNotKnown)
{
    makesCommunicator(0, "ncclCommInitRank", 0, 2);
    const hang::Report report = analyze();
    EXPECT_EQ(report.kind, Kind::Waiting);
    EXPECT_TRUE(report.origins.empty()) << said(report.summary);
}

TEST_F(Hang, aSplitWaitsForTheOtherMembersOfItsParent)
{
    for (const std::size_t rank : {0U, 1U, 2U}) {
        makesCommunicator(rank, "ncclCommSplit", 1, 0);
    }
    const hang::Report report = analyze();
    EXPECT_EQ(report.kind, Kind::Missing);
    EXPECT_EQ(report.origins.at(0).ranks, (std::vector<std::int64_t>{3}));
    EXPECT_EQ(report.collectives.at(0).size, 4);
    EXPECT_TRUE(said(report.summary).starts_with("ncclCommSplit of communicator ")) << said(report.summary);
}

TEST_F(Hang, aRankThatComputesWhileOthersWaitForItWorks)
{
    stopsBefore(2, 1);
    EXPECT_EQ(hang::originWork(analyze()), hang::Work::None) << "not sampled";
    process(2).series = {trace::seriesRow(trace::SeriesName::RecordingCpu, 1, "recording threads")};
    for (std::int64_t second = 0; second < 35; ++second) {
        process(2).samples.timeNs.push_back(m_endNs + second * kSecond);
        process(2).samples.series.push_back(1);
        process(2).samples.value.push_back(second * kSecond * 9 / 10);
    }
    const hang::Report works = analyze();
    EXPECT_EQ(works.kind, Kind::Missing);
    EXPECT_NEAR(works.ranks.at(2).cpuShare.value_or(0), 0.9, 0.01);
    EXPECT_EQ(hang::originWork(works), hang::Work::MayTurnInALoop);
    isIn(2, "cudaStreamSynchronize", m_endNs);
    EXPECT_EQ(hang::originWork(analyze()), hang::Work::None) << "it waits, and only turns in a loop";
    process(2).inFlight.clear();
    m_now[2].nowNs = m_endNs + 60 * kSecond;
    EXPECT_EQ(hang::originWork(analyze()), hang::Work::None) << "the samples are old";
}

/// What the samples of rank 2 say while the others wait for it, second by second.
struct OfSecond {
    std::int64_t written;  ///< bytes, by calls
    double waited;         ///< share of it
    bool toStorage = true; ///< false: to a pipe, a socket or a file system in memory
};

class HangWithStorage : public Hang {
protected:
    HangWithStorage() { stopsBefore(2, 1); }

    hang::Report with(std::int64_t seconds, const std::function<OfSecond(std::int64_t)>& of)
    {
        process(2).series = {trace::seriesRow(trace::SeriesName::FileWritten, 1, "process"),
                             trace::seriesRow(trace::SeriesName::StorageWait, 2, "process"),
                             trace::seriesRow(trace::SeriesName::StorageWritten, 3, "process")};
        process(2).samples = {};
        m_now.assign(4, {Life::Running, m_endNs + seconds * kSecond, true});
        std::int64_t written = 0;
        std::int64_t stored = 0;
        std::int64_t waitedNs = 0;
        for (std::int64_t second = 0; second < seconds; ++second) {
            written += of(second).written;
            stored += of(second).toStorage ? of(second).written : 0;
            waitedNs += static_cast<std::int64_t>(of(second).waited * static_cast<double>(kSecond));
            addSample(second, 1, written);
            addSample(second, 2, waitedNs);
            addSample(second, 3, stored);
        }
        return analyze();
    }

private:
    void addSample(std::int64_t second, std::uint32_t series, std::int64_t value)
    {
        process(2).samples.timeNs.push_back(m_endNs + second * kSecond);
        process(2).samples.series.push_back(series);
        process(2).samples.value.push_back(value);
    }
};

constexpr std::int64_t kChunk = 8 << 20;

TEST_F(HangWithStorage, aCheckpointThatOnlyWaitsIsSlow)
{
    const hang::Report writes = with(35, [](std::int64_t second) {
        return OfSecond{second % 2 == 0 ? kChunk : 0, 0}; // a pause between two chunks
    });
    EXPECT_EQ(hang::originWork(writes), hang::Work::MovesData);
    EXPECT_EQ(
        said(writes.summary),
        "ncclAllReduce #9 of communicator world waits for rank 2, which has not issued it and has moved data "
        "of "
        "files for 34 s, as a checkpoint does: slow, not a hang; ranks 0, 1 and 3 issued it 35 s before");
    ASSERT_TRUE(writes.ranks.at(2).storage);
    EXPECT_NEAR(writes.ranks.at(2).storage->use.bytesPerS, kChunk / 2, kChunk / 20);
    const hang::Report flushes = with(35, [](std::int64_t) { return OfSecond{4096, 0.9}; });
    EXPECT_EQ(hang::originWork(flushes), hang::Work::MayTurnInALoop);
    EXPECT_NE(said(flushes.summary).find("has waited for its storage for 35 s: not a hang of the collective"),
              std::string::npos)
        << said(flushes.summary);
    isIn(2, "cudaStreamSynchronize", m_endNs);
    EXPECT_EQ(hang::originWork(analyze()), hang::Work::None)
        << "a thread of it writes, but not the one that waits";
}

TEST_F(HangWithStorage, whatGoesThroughPipesProvesNoCheckpoint)
{
    const hang::Report report = with(35, [](std::int64_t) { return OfSecond{kChunk, 0, false}; });
    EXPECT_EQ(hang::originWork(report), hang::Work::MayTurnInALoop) << "with patience, not for ever";
    const std::string text = said(report.summary);
    EXPECT_EQ(text.find("not a hang"), std::string::npos) << text;
    EXPECT_NE(text.find("has read or written files, pipes or sockets for 35 s"), std::string::npos) << text;
}

TEST_F(HangWithStorage, storageThatDoesNotAnswerIsNamed)
{
    const hang::Report report = with(3600, [](std::int64_t) { return OfSecond{0, 1}; });
    EXPECT_NE(said(report.summary)
                  .find("has waited for its storage for 60 min 0 s: the storage does not answer, or moves"),
              std::string::npos)
        << said(report.summary);
}

TEST_F(HangWithStorage, linesOfALogHideNoHang)
{
    const hang::Report logs = with(60, [](std::int64_t second) {
        return second % 10 == 0 ? OfSecond{20'000, 1} : OfSecond{0, 0}; // the look fell into the write
    });
    EXPECT_FALSE(logs.ranks.at(2).storage);
    EXPECT_EQ(hang::originWork(logs), hang::Work::None);
    const hang::Report ended = with(60, [](std::int64_t second) {
        return OfSecond{second < 20 ? kChunk : 0, 0};
    });
    EXPECT_FALSE(ended.ranks.at(2).storage) << "it wrote, and stands now";
}

TEST_F(Hang, callsOfAGroupThatWasNotClosedAreNotIssued)
{
    process(2).collectiveCalls.back().groupId = 500;
    const hang::Report report = analyze();
    EXPECT_EQ(report.kind, Kind::Missing);
    EXPECT_EQ(report.origins.at(0).ranks, (std::vector<std::int64_t>{2}));
    EXPECT_EQ(report.ranks.at(2).openGroupCalls, 1);
    isIn(2, "ncclGroupEnd", m_endNs);
    process(2).inFlight.back().thread = process(2).collectiveCalls.back().thread;
    EXPECT_EQ(analyze().ranks.at(2).openGroupCalls, 0);
}

TEST_F(Hang, ofRanksThatDiedTogetherTheAwaitedOneIsNamedWithLowConfidence)
{
    stopsBefore(1, 1);
    for (std::size_t rank = 0; rank < 4; ++rank) {
        m_now[rank] = {Life::Gone, std::nullopt, true};
    }
    const hang::Report report = analyze();
    EXPECT_EQ(report.kind, Kind::Died);
    EXPECT_EQ(report.diedFirst, 1);
    EXPECT_EQ(report.confidence, hang::Confidence::Low);
}

TEST_F(Hang, ranksThatFailBecauseOneEndedNormallyAreNotTheCause)
{
    stopsBefore(1, 1);
    process(1).process.endNs = m_endNs;
    m_now[1].life = Life::Closed;
    for (const std::size_t rank : {0U, 2U, 3U}) {
        m_now[rank] = {Life::Gone, std::nullopt, true};
    }
    const hang::Report report = analyze();
    EXPECT_EQ(report.kind, Kind::Missing);
    EXPECT_EQ(report.origins.at(0).ranks, (std::vector<std::int64_t>{1}));
}

// Stopped as far ahead of its GPU as the others: nobody is missing, and it is the cause all the same.
TEST_F(Hang, amongRanksThatIssuedTheSameTheStoppedOneIsNamed)
{
    for (const std::size_t rank : {0U, 1U, 3U}) {
        isIn(rank, "cudaStreamSynchronize", m_endNs);
    }
    m_now[2].life = Life::Stopped;
    EXPECT_EQ(analyze().kind, Kind::Waiting);
    EXPECT_NE(said(analyze().summary)
                  .find("do not go on: rank 2 is stopped by a signal or a debugger; the last is "),
              std::string::npos)
        << said(analyze().summary);
    process(1).process.endNs = m_endNs;
    m_now[1].life = Life::Closed;
    EXPECT_NE(said(analyze().summary)
                  .find("rank 2 is stopped by a signal or a debugger, rank 1 has ended normally"),
              std::string::npos)
        << said(analyze().summary);
}

TEST_F(Hang, aJobThatWasKilledWhileAllWaitedAlikeHungBefore)
{
    for (std::size_t rank = 0; rank < 4; ++rank) {
        isIn(rank, "cudaStreamSynchronize", m_endNs);
        process(rank).hangs = {{1, m_endNs + 20 * kSecond, m_endNs, std::nullopt, "thread 1 has been in it"}};
        m_now[rank] = {Life::Gone, std::nullopt, true};
    }
    const hang::Report report = analyze();
    EXPECT_EQ(report.kind, Kind::Waiting) << said(report.summary);
    EXPECT_NE(said(report.summary).find("did not go on, and have died since"), std::string::npos)
        << said(report.summary);
    for (std::size_t rank = 0; rank < 4; ++rank) {
        process(rank).hangs.clear();
    }
    EXPECT_EQ(analyze().kind, Kind::Died) << "nobody noticed a hang";
}

TEST_F(Hang, ranksThatWaitForEachOtherAreSaidToDoSo)
{
    stopsBefore(1, 1); // it waits in the pair, and rank 0 here
    addPair();
    issueOnPair(1, 0);
    const hang::Report report = analyze();
    ASSERT_EQ(report.kind, Kind::Missing);
    EXPECT_EQ(said(report.summary),
              "ranks wait for each other in a circle: rank 1 in ncclAllReduce #0 of communicator world for "
              "rank 0; ranks 0, 2 and 3 in ncclAllReduce #9 of communicator world for rank 1");
    stopsBefore(2, 1);
    EXPECT_EQ(said(analyze().summary).find("in a circle"), std::string::npos)
        << "rank 2 waits for nobody: it is the cause. " << said(analyze().summary);
}

TEST_F(Hang, collectivesOfTwoCommunicatorsInDifferentOrdersAreNamed)
{
    addPair();
    issueOnPair(0, -kSecond / 2);
    issueOnPair(1, kSecond / 2);
    for (std::size_t rank = 0; rank < 4; ++rank) {
        isIn(rank, "cudaStreamSynchronize", m_endNs + kSecond);
    }
    const hang::Report report = analyze();
    ASSERT_EQ(report.kind, Kind::Waiting);
    EXPECT_NE(said(report.summary).find("issued in different orders"), std::string::npos)
        << said(report.summary);
    EXPECT_NE(said(report.summary)
                  .find("Rank 1 issued ncclAllReduce #9 of communicator world before it, rank 0 behind"),
              std::string::npos)
        << said(report.summary);
}

TEST_F(Hang, aReceiveWithoutItsSendNamesTheSender)
{
    message(2, "ncclRecv", 3, 10, 0);
    message(3, "ncclSend", 2, 10, 0);
    EXPECT_EQ(analyze().kind, Kind::Nothing) << said(analyze().summary);
    message(2, "ncclRecv", 3, 11, 0);
    const hang::Report report = analyze();
    ASSERT_EQ(report.kind, Kind::Missing);
    const hang::StuckCollective& stuck = report.collectives.at(0);
    EXPECT_TRUE(stuck.pointToPoint);
    EXPECT_EQ(stuck.order, 1);
    EXPECT_EQ(stuck.arrived.at(0).rank, 2);
    EXPECT_EQ(stuck.missing, (std::vector<std::int64_t>{3}));
    EXPECT_EQ(said(report.summary),
              "ncclRecv (message #1) of communicator world waits for rank 3, which has not issued "
              "its counterpart; rank 2 issued it 35 s before");
    process(3).collectiveCalls.erase(process(3).collectiveCalls.begin() + 4);
    const hang::Report lossy = analyze();
    EXPECT_EQ(lossy.kind, Kind::Nothing)
        << "a lost record might have been that send. " << said(lossy.summary);
    EXPECT_NE(hang::formatText(lossy).find("note: communicator world"), std::string::npos)
        << hang::formatText(lossy);
}

TEST_F(Hang, aSendAloneIsStuckOnlyWhereItsRankWaits)
{
    message(2, "ncclSend", 3, 10, 0);
    EXPECT_EQ(analyze().kind, Kind::Nothing) << "NCCL may have taken it";
    isIn(2, "cudaStreamSynchronize", m_endNs);
    ASSERT_EQ(analyze().kind, Kind::Missing);
    EXPECT_EQ(analyze().collectives.at(0).missing, (std::vector<std::int64_t>{3}));
}

TEST_F(Hang, allWaitAlikeWhenAllIssuedTheSameAndStayInACall)
{
    for (std::size_t rank = 0; rank < 4; ++rank) {
        isIn(rank, "cudaStreamSynchronize", m_endNs);
    }
    const hang::Report report = analyze();
    ASSERT_EQ(report.kind, Kind::Waiting);
    EXPECT_EQ(report.collectives.at(0).order, 9);
    EXPECT_TRUE(report.collectives.at(0).missing.empty());
    EXPECT_NE(hang::formatText(report).find("there are no device records"), std::string::npos);
}

TEST_F(Hang, ofRanksInOneProcessEachHasItsOwnThread)
{
    trace::ProcessTrace& both = process(0);
    trace::CommunicatorRow second = both.communicators.front();
    second.id = 2;
    second.rank = 1;
    second.device = 1;
    both.communicators.push_back(second);
    both.ranks = {{0, 0, 4, 0, 0, "communicator"}, {1, 1, 4, 1, 0, "communicator"}};
    both.threads.push_back({2, both.process.pid + 7, "second"});
    for (trace::CollectiveCallRow call : process(1).collectiveCalls) {
        call.communicator = 2;
        call.thread = 2;
        both.collectiveCalls.push_back(call);
    }
    both.collectiveCalls.pop_back(); // rank 1 does not come to its last one
    isIn(0, "cudaStreamSynchronize", m_endNs);
    m_run.processes.erase(m_run.processes.begin() + 1);
    m_now.pop_back();
    const hang::Report report = analyze();
    ASSERT_EQ(report.kind, Kind::Missing);
    EXPECT_EQ(report.collectives.at(0).missing, (std::vector<std::int64_t>{1}));
    ASSERT_EQ(report.ranks.size(), 4U);
    EXPECT_EQ(report.ranks[0].threads.front().function, "cudaStreamSynchronize");
    EXPECT_EQ(report.ranks[1].threads.front().name, "second");
    EXPECT_EQ(report.ranks[1].lastCalls.front().sequence, 8) << "and not what rank 0 called";
}

} // namespace
} // namespace ringside::test
