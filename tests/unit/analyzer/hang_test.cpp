// SPDX-License-Identifier: Apache-2.0
// Who waits for whom, with runs in the words of the domain and a time of the test's own.
#include "hang/hang.h"
#include "support/trace_builder.h"
#include "trace/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace {

using namespace ringside;
using namespace ringside::test;
using namespace std::chrono_literals;
using hang::Kind;
using hang::Life;

constexpr std::int64_t kSecond = 1'000'000'000;

/// Four ranks that issued ten all-reduces of growing size each; then what the test makes of them.
class Hang : public testing::Test {
protected:
    Hang()
    {
        TraceBuilder builder(4);
        builder.withoutDeviceTier("test").steps(10, [](StepBuilder& step) {
            step.everyRank().compute(1ms);
            step.allReduce(1_KiB * static_cast<std::uint64_t>(step.number()));
        });
        m_run = builder.run();
        for (trace::ProcessTrace& process : m_run.processes) {
            m_endNs = std::max(m_endNs, *process.process.endNs);
            process.process.endNs.reset();
        }
        m_now.assign(4, {Life::Running, m_endNs + 35 * kSecond, true});
    }

    trace::ProcessTrace& process(std::size_t rank) { return m_run.processes[rank]; }
    /// The rank never came to its last `count` collectives, and made no call since.
    void stopsBefore(std::size_t rank, std::size_t count)
    {
        auto& calls = process(rank).collectiveCalls;
        calls.resize(calls.size() - count);
    }
    void isIn(std::size_t rank, const std::string& function, std::int64_t sinceNs, std::int64_t sequence = -1,
              std::optional<std::int64_t> hangId = std::nullopt)
    {
        trace::InFlightRow row;
        row.thread = 1;
        row.api = m_nextText++;
        process(rank).strings[row.api] = function;
        row.communicator = sequence >= 0 ? 1 : 0;
        row.sequence = std::max<std::int64_t>(sequence, 0);
        row.count = static_cast<std::uint64_t>(sequence + 1) * 256;
        row.startNs = sinceNs;
        row.hang = hangId;
        process(rank).inFlight.push_back(row);
    }
    /// Another call of its main thread, which returned at that moment.
    void hasCalled(std::size_t rank, std::int64_t endNs)
    {
        process(rank).strings[940] = "cudaEventQuery";
        trace::ApiCallColumns& calls = process(rank).apiCalls;
        const std::size_t size = calls.size() + 1;
        trace::TableOf<trace::ApiCallRow>::forEachColumn(
            [&](const char*, auto, auto, auto column) { (calls.*column).resize(size); });
        calls.startNs.back() = endNs - 1;
        calls.endNs.back() = endNs;
        calls.api.back() = 940;
        calls.thread.back() = static_cast<std::uint32_t>(process(rank).threads.front().id);
    }
    /// Ranks 0 and 1 also share a communicator.
    void addPair()
    {
        for (std::size_t rank = 0; rank < 2; ++rank) {
            trace::CommunicatorRow pair = process(rank).communicators.front();
            pair.id = 2;
            pair.hash = 77;
            pair.size = 2;
            pair.rank = static_cast<std::int64_t>(rank);
            process(rank).communicators.push_back(pair);
        }
    }
    /// Its first call there, so long after the last one of the world.
    void issueOnPair(std::size_t rank, std::int64_t laterNs)
    {
        trace::CollectiveCallRow call = process(rank).collectiveCalls.back();
        call.communicator = 2;
        call.sequence = 0;
        call.startNs += laterNs;
        process(rank).collectiveCalls.push_back(call);
    }
    void message(std::size_t rank, const std::string& function, std::int64_t peer, std::int64_t sequence,
                 std::int64_t laterNs)
    {
        const trace::StringId api = function == "ncclSend" ? 930 : 931;
        process(rank).strings[api] = function;
        trace::CollectiveCallRow call = process(rank).collectiveCalls.back();
        call.api = api;
        call.peer = peer;
        call.sequence = sequence;
        call.startNs = m_endNs + laterNs;
        process(rank).collectiveCalls.push_back(call);
    }
    hang::Report analyze(std::int64_t stuckAfterNs = 10 * kSecond)
    {
        return hang::analyze(m_run, m_now, {stuckAfterNs});
    }

    trace::RunTrace m_run;
    std::vector<hang::ProcessNow> m_now;
    std::int64_t m_endNs = 0;
    trace::StringId m_nextText = 950;
};

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
    EXPECT_EQ(report.summary.find("ncclAllReduce #9 of communicator world waits for rank 2, which has not "
                                  "issued it; ranks 0, 1 and 3 issued it 35 s before"),
              0U)
        << report.summary;
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
    EXPECT_NE(hang::formatText(report).find("its watchdog: thread 1 has been in cudaFree"),
              std::string::npos);
}

TEST_F(Hang, namesWhoCallsAnotherFunction)
{
    process(1).strings[901] = "ncclAllGather";
    process(1).collectiveCalls.at(7).api = 901;
    const hang::Report report = analyze();
    ASSERT_EQ(report.kind, Kind::Mismatch);
    EXPECT_EQ(report.collectives.at(0).order, 7);
    EXPECT_EQ(report.collectives.at(0).different, (std::vector<std::int64_t>{1}));
    EXPECT_EQ(report.summary, "ncclAllReduce #7 of communicator world: rank 1 calls ncclAllGather there");
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
        return report.summary.substr(report.summary.rfind("rank 2"));
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

TEST_F(Hang, saysThatTheMissingRankIsStoppedOrDeadOrHasEnded)
{
    stopsBefore(2, 1);
    m_now[2].life = Life::Stopped;
    EXPECT_NE(analyze().summary.find("is stopped by a signal"), std::string::npos) << analyze().summary;
    m_now[2] = {Life::Gone, std::nullopt, true};
    EXPECT_NE(analyze().summary.find("and has died"), std::string::npos) << analyze().summary;
    process(2).process.endNs = m_endNs;
    m_now[2].life = Life::Closed;
    EXPECT_NE(analyze().summary.find("and has ended normally"), std::string::npos) << analyze().summary;
}

TEST_F(Hang, namesTheProcessThatDiedFirst)
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
    EXPECT_EQ(report.summary.find("rank 1 was the first to end"), 0U) << report.summary;
    EXPECT_EQ(report.ranks.at(1).threads.at(0).function, "cudaMemcpyAsync");
}

TEST_F(Hang, doesNotGuessWhoDiedFirstWhenAllDidAtOnce)
{
    for (hang::ProcessNow& now : m_now) {
        now = {Life::Gone, std::nullopt, true};
    }
    const hang::Report report = analyze();
    EXPECT_EQ(report.kind, Kind::Died);
    EXPECT_EQ(report.diedFirst, std::nullopt);
    EXPECT_NE(report.summary.find("which was first is not known"), std::string::npos) << report.summary;
}

TEST_F(Hang, lostRecordsAreNoMissingCalls)
{
    process(3).collectiveCalls.erase(process(3).collectiveCalls.begin() + 4,
                                     process(3).collectiveCalls.begin() + 6);
    EXPECT_EQ(analyze().kind, Kind::Nothing);
}

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
    EXPECT_EQ(analyze().kind, Kind::Nothing) << analyze().summary;
    for (hang::ProcessNow& now : m_now) {
        now.nowNs = m_endNs + 60 * kSecond;
    }
    EXPECT_EQ(analyze().kind, Kind::Waiting) << "they call nothing any more";
}

TEST_F(Hang, aJobThatWasKilledWhileAllWaitedAlikeHungBefore)
{
    for (std::size_t rank = 0; rank < 4; ++rank) {
        isIn(rank, "cudaStreamSynchronize", m_endNs);
        process(rank).hangs = {{1, m_endNs + 20 * kSecond, m_endNs, std::nullopt, "thread 1 has been in it"}};
        m_now[rank] = {Life::Gone, std::nullopt, true};
    }
    const hang::Report report = analyze();
    EXPECT_EQ(report.kind, Kind::Waiting) << report.summary;
    EXPECT_NE(report.summary.find("did not go on, and have died since"), std::string::npos) << report.summary;
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
    EXPECT_EQ(report.summary,
              "ranks wait for each other in a circle: rank 1 in ncclAllReduce #0 of communicator world for "
              "rank 0; ranks 0, 2 and 3 in ncclAllReduce #9 of communicator world for rank 1");
    stopsBefore(2, 1);
    EXPECT_EQ(analyze().summary.find("in a circle"), std::string::npos)
        << "rank 2 waits for nobody: it is the cause. " << analyze().summary;
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
    EXPECT_NE(report.summary.find("issued in different orders"), std::string::npos) << report.summary;
    EXPECT_NE(
        report.summary.find("rank 1 issued ncclAllReduce #9 of communicator world before it, rank 0 behind"),
        std::string::npos)
        << report.summary;
}

TEST_F(Hang, aReceiveWithoutItsSendNamesTheSender)
{
    message(2, "ncclRecv", 3, 10, 0);
    message(3, "ncclSend", 2, 10, 0);
    EXPECT_EQ(analyze().kind, Kind::Nothing) << analyze().summary;
    message(2, "ncclRecv", 3, 11, 0);
    const hang::Report report = analyze();
    ASSERT_EQ(report.kind, Kind::Missing);
    const hang::StuckCollective& stuck = report.collectives.at(0);
    EXPECT_TRUE(stuck.pointToPoint);
    EXPECT_EQ(stuck.order, 1);
    EXPECT_EQ(stuck.arrived.at(0).rank, 2);
    EXPECT_EQ(stuck.missing, (std::vector<std::int64_t>{3}));
    EXPECT_EQ(report.summary,
              "ncclRecv (message #1) of communicator world waits for rank 3, which has not issued "
              "the other side of it; rank 2 issued it 35 s before");
    process(3).collectiveCalls.erase(process(3).collectiveCalls.begin() + 4);
    const hang::Report lossy = analyze();
    EXPECT_EQ(lossy.kind, Kind::Nothing) << "a lost record might have been that send. " << lossy.summary;
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

TEST_F(Hang, ofEachRankTheLastCallsAreShownLatestFirst)
{
    stopsBefore(2, 1);
    hasCalled(2, m_endNs + 5 * kSecond);
    const hang::Report report = analyze();
    const auto& calls = report.ranks.at(2).lastCalls;
    ASSERT_EQ(calls.size(), 8U);
    EXPECT_EQ(calls[0].function, "cudaEventQuery");
    EXPECT_EQ(calls[0].beforeNs, 30 * kSecond);
    EXPECT_EQ(calls[0].sequence, std::nullopt);
    EXPECT_EQ(calls[1].function, "cudaStreamSynchronize");
    const auto collective = std::find_if(calls.begin(), calls.end(),
                                         [](const auto& call) { return call.function == "ncclAllReduce"; });
    ASSERT_NE(collective, calls.end());
    EXPECT_EQ(collective->sequence, 8);
    EXPECT_NE(
        hang::formatText(report).find("last calls: cudaEventQuery (30 s before), cudaStreamSynchronize (3"),
        std::string::npos)
        << hang::formatText(report);
}

TEST_F(Hang, nobodyIsMissingInACommunicatorWithoutAHash)
{
    stopsBefore(2, 1);
    for (std::size_t rank = 0; rank < 4; ++rank) {
        process(rank).communicators.front().hash = 0;
    }
    EXPECT_EQ(analyze().kind, Kind::Nothing);
}

TEST_F(Hang, membersOfWhomThereIsNoTraceAreCounted)
{
    stopsBefore(2, 1);
    m_run.processes.pop_back();
    m_now.pop_back();
    EXPECT_EQ(analyze().collectives.at(0).notRecorded, 1);
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

TEST(HangWithDeviceRecords, saysWhichCollectiveEachGpuFinished)
{
    TraceBuilder builder(2);
    builder.steps(5, [](StepBuilder& step) { step.allReduce(1_KiB); });
    trace::RunTrace run = builder.run();
    trace::ProcessTrace& late = run.processes[1];
    late.collectiveCalls.pop_back();
    for (trace::ProcessTrace& process : run.processes) {
        process.process.endNs.reset();
        // The last one has not ended on any GPU, so there is no kernel of it.
        process.callCorrelations.correlation.resize(4);
        process.callCorrelations.call.resize(4);
    }
    const std::int64_t later = run.processes[0].collectiveCalls.back().endNs + 60 * kSecond;
    const hang::Report report = hang::analyze(run, {2, {Life::Running, later, true}}, {});
    ASSERT_EQ(report.kind, Kind::Missing);
    using Finished = std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>>;
    EXPECT_EQ(report.collectives.at(0).finishedOnGpu, (Finished{{0, 3}, {1, 3}}));
}

TEST_F(Hang, showsTheInnermostLinesOfTheStackThatMatters)
{
    stopsBefore(2, 1);
    const std::int64_t pid = process(2).process.pid;
    process(2).stacks = {{"native", 1, 5, pid, 0, "train", "poll+0x1 (libc.so.6)"},
                         {"native", 1, 9, pid, 0, "train", "sleep+0x1 (libc.so.6)"},
                         {"native", 1, 9, pid, 1, "train", "load+0x9 (train)"},
                         {"native", 1, 9, pid + 1, 0, "other", "futex+0x2 (libc.so.6)"}};
    const hang::Report report = analyze();
    EXPECT_EQ(report.ranks.at(2).stack,
              (std::vector<std::string>{"sleep+0x1 (libc.so.6)", "load+0x9 (train)"}));
    process(2).stacks.push_back({"python", 1, 9, pid, 0, "MainThread", "load (data.py:3)"});
    EXPECT_EQ(analyze().ranks.at(2).stack, (std::vector<std::string>{"load (data.py:3)"}));
    process(2).stacks = {{"note", 1, 9, 0, 0, "", "native stacks: not permitted"}};
    EXPECT_NE(hang::formatText(analyze()).find("no stack: native stacks: not permitted"), std::string::npos);
}

TEST_F(Hang, aRunWithoutRanksSaysSo)
{
    for (trace::ProcessTrace& each : m_run.processes) {
        each.ranks.clear();
        each.communicators.clear();
    }
    EXPECT_EQ(analyze().summary.find("no rank is known"), 0U);
}

TEST_F(Hang, anyNumbersOfAHostileTraceAreSurvived)
{
    constexpr std::int64_t kFar = std::int64_t{1} << 58;
    stopsBefore(2, 1);
    process(0).collectiveCalls.back().sequence = std::numeric_limits<std::int64_t>::max();
    process(1).collectiveCalls.back().sequence = std::numeric_limits<std::int64_t>::min();
    process(1).collectiveCalls.front().startNs = -kFar;
    isIn(2, "ncclAllReduce", kFar, 9);
    process(3).communicators.front().size = std::numeric_limits<std::int64_t>::max();
    process(3).hangs = {{-1, kFar, -kFar, std::nullopt, std::string(10000, 'x')}};
    m_now[3].nowNs = -kFar;
    const hang::Report report = analyze();
    EXPECT_FALSE(hang::formatText(report).empty());
    EXPECT_TRUE(nlohmann::json::accept(hang::formatJson(report)));
}

TEST_F(Hang, jsonHasTheVerdictAndEveryRank)
{
    stopsBefore(2, 1);
    const auto json = nlohmann::json::parse(hang::formatJson(analyze()));
    EXPECT_EQ(json["schema"], "ringside-hang/1");
    EXPECT_EQ(json["verdict"]["kind"], "missing");
    EXPECT_EQ(json["collectives"][0]["missing"], nlohmann::json::array({2}));
    EXPECT_EQ(json["collectives"][0]["call"]["root"], nullptr);
    EXPECT_EQ(json["ranks"].size(), 4U);
    EXPECT_EQ(json["ranks"][2]["state"], "running");
}

TEST(HangWords, areShort)
{
    EXPECT_EQ(hang::duration(120'000'000), "120 ms");
    EXPECT_EQ(hang::duration(4'200'000'000), "4.2 s");
    EXPECT_EQ(hang::duration(35 * kSecond), "35 s");
    EXPECT_EQ(hang::duration(125 * kSecond), "2 min 5 s");
    EXPECT_EQ(hang::duration(3 * 3600 * kSecond), "3 h 0 min");
    EXPECT_EQ(hang::duration(-5), "0 ms");
    EXPECT_EQ(hang::rankList({2}), "rank 2");
    EXPECT_EQ(hang::rankList({3, 0, 1}), "ranks 0, 1 and 3");
    EXPECT_EQ(hang::rankList({0, 1, 2, 3, 9}), "ranks 0 to 3 and 9");
}

} // namespace
