// SPDX-License-Identifier: Apache-2.0
// What is shown of a hang.
#include "hang/rank_report.h"
#include "hang_fixture.h"
#include "values/number_runs.h"

#include <nlohmann/json.hpp>

namespace ringside::test {
namespace {

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

TEST(HangWithDeviceRecords, reportsWhichCollectiveEachGpuFinished)
{
    TraceBuilder builder(2);
    builder.steps(5, [](StepBuilder& step) { step.allReduce(1_KiB); });
    trace::RunTrace run = builder.run();
    trace::ProcessTrace& late = run.processes[1];
    late.collectiveCalls.pop_back();
    for (trace::ProcessTrace& process : run.processes) {
        process.process.endNs.reset();
        // The last one has not ended on any GPU, so there is no kernel of it.
        process.callCorrelations.correlation.truncate(4);
        process.callCorrelations.call.truncate(4);
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

TEST_F(Hang, reportsOnceWhyAStackIsMissingAndForPythonAlsoBesideANativeOne)
{
    stopsBefore(2, 1);
    const std::int64_t pid = process(2).process.pid;
    process(2).stacks = {{"note", 1, 9, pid, 0, "a", "not permitted"},
                         {"note", 1, 9, pid + 1, 0, "b", "not permitted"}};
    EXPECT_EQ(analyze().ranks.at(2).stackNotes, (std::vector<std::string>{"not permitted"}));
    process(2).stacks.push_back({"native", 1, 9, pid, 0, "a", "poll+0x1 (libc.so.6)"});
    process(2).stacks.push_back({"note", 1, 9, 0, 0, "", "Python stacks: refused"});
    process(2).process.command = "/usr/bin/trainer";
    EXPECT_TRUE(analyze().ranks.at(2).stackNotes.empty());
    process(2).process.command = "/usr/bin/python3 train.py";
    EXPECT_EQ(analyze().ranks.at(2).stackNotes, (std::vector<std::string>{"Python stacks: refused"}));
    EXPECT_NE(hang::formatText(analyze()).find("\n    Python stacks: refused"), std::string::npos);
}

TEST_F(Hang, aRunWithoutRanksIsReportedAsSuch)
{
    for (trace::ProcessTrace& each : m_run.processes) {
        each.ranks.clear();
        each.communicators.clear();
    }
    EXPECT_EQ(said(analyze().summary).find("no rank is known"), 0U);
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

/// How a job ended lies behind the window of a profiler, and its ranks' windows end at different calls.
TEST_F(Hang, aProfilersWindowDoesNotTellHowTheJobEnded)
{
    stopsBefore(3, 1);
    for (std::size_t rank = 0; rank < 4; ++rank) {
        process(rank).process.endNs = m_endNs;
        process(rank).process.collectorVersion.clear();
        m_now[rank] = {hang::lifeInTrace(process(rank)), std::nullopt, true};
        EXPECT_EQ(m_now[rank].life, Life::NotKnown);
        EXPECT_FALSE(hang::endedNormally(process(rank)));
    }
    const hang::Report report = analyze();
    EXPECT_EQ(report.kind, Kind::Nothing) << said(report.summary);
    EXPECT_EQ(said(report.summary).find("normally"), std::string::npos) << said(report.summary);
    EXPECT_NE(said(report.summary).find("unknown whether"), std::string::npos) << said(report.summary);
    EXPECT_NE(said(report.summary).find("window"), std::string::npos) << said(report.summary);
}

TEST(HangWords, areShort)
{
    EXPECT_EQ(hang::duration(120'000'000), "120 ms");
    EXPECT_EQ(hang::duration(4'200'000'000), "4.2 s");
    EXPECT_EQ(hang::duration(35 * kSecond), "35 s");
    EXPECT_EQ(hang::duration(125 * kSecond), "2 min 5 s");
    EXPECT_EQ(hang::duration(3 * 3600 * kSecond), "3 h 0 min");
    EXPECT_EQ(hang::duration(-5), "0 ms");
    EXPECT_EQ(values::rankList({2}), "rank 2");
    EXPECT_EQ(values::rankList({3, 0, 1}), "ranks 0, 1 and 3");
    EXPECT_EQ(values::rankList({0, 1, 2, 3, 9}), "ranks 0 to 3 and 9");
    EXPECT_EQ(values::rankList({29, 5, 13, 21, 37, 45, 46}), "ranks 5 to 45 in steps of 8 and 46");
    EXPECT_EQ(values::rankList({0, 2, 4, 6, 8}), "ranks 0, 2, 4, 6 and 8");
    EXPECT_EQ(values::rankList({1, 2, 4, 7, 11, 16, 22, 29, 37, 46, 56, 67, 79, 92}),
              "ranks 1, 2, 4, 7, 11, 16, 22, 29, 37, 46, 56, 67 and 2 more");
}

} // namespace
} // namespace ringside::test
