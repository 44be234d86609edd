// SPDX-License-Identifier: Apache-2.0
// What `ringside top` makes of snapshots: good ones, those of jobs in trouble, and files that are none.
#include "analyzer/json_schema.h"
#include "analyzer/live_fixture.h"
#include "live/filter.h"
#include "live/heat_strip.h"
#include "live/metrics.h"
#include "live/show.h"
#include "live/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ringside::live {
namespace {

using test::kNowMs;
using test::kNsAMs;
using test::runOf;

Sample sampleOf(const char* source, const char* entity, const char* metric, std::int64_t first,
                std::int64_t value)
{
    return {source, entity, metric, value, first, kNowMs};
}

TEST(LiveView, NamesTheLateRankByItsDevice)
{
    const JobView view = viewOf(runOf({.lateRank = 2, .lateMs = 20}));
    ASSERT_EQ(view.ranks.size(), 4U);
    EXPECT_EQ(view.latenessBy, LatenessBy::Device);
    EXPECT_EQ(view.ranks[0].rank, 2);
    EXPECT_EQ(view.ranks[0].lateNs, 20 * kNsAMs);
    EXPECT_EQ(view.ranks[1].lateNs, 0);
    EXPECT_NE(view.verdict.find("rank 2"), std::string::npos) << view.verdict;
    EXPECT_EQ(view.step, 32);
    EXPECT_NEAR(view.stepsPerSecond.value(), 10, 0.01);
    EXPECT_NEAR(view.utilization.value(), 1 - 10.0 / 120, 1e-9);
}

TEST(LiveView, NamesTheLateHostWhereDevicesAreNotMeasured)
{
    const JobView view = viewOf(runOf({.lateRank = 1, .lateMs = 20, .device = false}));
    EXPECT_EQ(view.latenessBy, LatenessBy::Host);
    EXPECT_EQ(view.ranks[0].rank, 1);
    EXPECT_EQ(view.utilization, std::nullopt);
    EXPECT_EQ(view.commComputeRatio, std::nullopt);
    EXPECT_NE(formatText(view).find("lateness of GPUs is not measured"), std::string::npos);
}

TEST(LiveView, NamesTheLateRankByNcclsOwnTimesWhereTheDeviceTierIsOff)
{
    const JobView view = viewOf(runOf({.lateRank = 2, .lateMs = 20, .device = false, .nccl = true}));
    EXPECT_EQ(view.latenessBy, LatenessBy::Device);
    EXPECT_EQ(view.ranks[0].rank, 2);
    EXPECT_EQ(view.ranks[0].lateNs, 20 * kNsAMs);
    EXPECT_EQ(view.ranks[0].communicationNs, 30 * kNsAMs);
    EXPECT_EQ(view.utilization, std::nullopt) << "nothing else of the GPU is known";
    EXPECT_EQ(view.commComputeRatio, std::nullopt);
    EXPECT_EQ(formatText(view).find("lateness of GPUs is not measured"), std::string::npos);
}

TEST(LiveView, MixesNoMeasuresOfDifferentRanks)
{
    RunNow run = runOf({.lateRank = 2, .lateMs = 20, .device = false, .nccl = true});
    for (Step& step : run.hosts[0].processes[1].recentSteps) {
        step.ncclNs = std::nullopt;
    }
    EXPECT_EQ(viewOf(run).latenessBy, LatenessBy::Host);
}

TEST(LiveView, BlamesNobodyInAHealthyJob)
{
    const JobView view = viewOf(runOf({}));
    EXPECT_EQ(view.ranks[0].lateNs, 0);
    EXPECT_EQ(view.verdict.find("rank"), std::string::npos) << view.verdict;
    EXPECT_TRUE(view.waits.empty());
    EXPECT_TRUE(view.complaints.empty());
}

/// A call that blocks has no record yet, so that all ranks have recorded the same calls.
TEST(LiveView, NumbersACallThatThreadsAreInAsHangDoes)
{
    RunNow run = runOf({});
    for (Process& process : run.hosts[0].processes) {
        process.communicators[0].issuedMs = kNowMs - 9000;
        if (process.ranks[0].rank != 2) {
            process.calls.push_back({"ncclAllReduce", "abcd", 65, kNowMs - 8000});
        }
    }
    const JobView view = viewOf(run);
    ASSERT_EQ(view.waits.size(), 1U);
    EXPECT_EQ(view.waits[0].sequence, 65);
    EXPECT_EQ(view.waits[0].sinceMs, kNowMs - 8000);
    const std::string text = formatText(view, {});
    EXPECT_NE(
        text.find("ranks 0, 1 and 3 wait in ncclAllReduce #65 of communicator abcd for rank 2 since 8 s"),
        std::string::npos)
        << text;
}

TEST(LiveView, SaysWhoWaitsForWhom)
{
    RunNow run = runOf({});
    for (Process& process : run.hosts[0].processes) {
        const bool missing = process.ranks[0].rank == 3;
        process.communicators[0].sequence = missing ? 63 : 64;
        process.communicators[0].issuedMs = kNowMs - (missing ? 9000 : 8000);
        if (!missing) {
            process.calls.push_back({"ncclAllReduce", "abcd", 64, kNowMs - 8000});
        }
    }
    const JobView view = viewOf(run);
    ASSERT_EQ(view.waits.size(), 1U);
    EXPECT_EQ(view.waits[0].missing, std::vector<std::int64_t>{3});
    EXPECT_EQ(view.waits[0].waiting, (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(view.waits[0].api, "ncclAllReduce");
    EXPECT_NE(view.verdict.find("wait for rank 3"), std::string::npos) << view.verdict;
}

TEST(LiveView, ListsWhatIsNotWell)
{
    RunNow run = runOf({});
    auto& samples = run.hosts[0].processes[0].samples;
    samples.push_back(sampleOf("rdma", "mlx5_0/1", "symbol_errors", 3, 3));
    samples.push_back(sampleOf("nvml", "gpu0", "clock_event_reasons", 0, 0x4)); // power cap: normal
    EXPECT_TRUE(viewOf(run).complaints.empty());
    samples.push_back(sampleOf("rdma", "mlx5_1/1", "symbol_errors", 3, 10));
    samples.push_back(sampleOf("nvml", "gpu1", "clock_event_reasons", 0, 0x40));
    samples.push_back(sampleOf("rdma", "mlx5_2/1", "rate_mbps", 200'000, 100'000));
    const JobView view = viewOf(run);
    ASSERT_EQ(view.complaints.size(), 3U);
    EXPECT_EQ(view.complaints[0].what, "heat holds the clocks down");
    EXPECT_EQ(view.complaints[1].what, "7 symbol errors");
    EXPECT_EQ(view.complaints[2].what, "its rate fell by 50 %");
}

TEST(LiveView, TellsSilentAndHangingRanksAndMissingOnes)
{
    RunNow run = runOf({});
    run.hosts[0].processes[0].atMs = kNowMs - 60'000;
    run.hosts[0].processes[1].hang = Hang{kNowMs - 30'000, "thread 7 has been in ncclAllReduce for 30 s"};
    run.hosts[0].processes.pop_back();
    const JobView view = viewOf(run);
    ASSERT_EQ(view.ranks.size(), 3U);
    EXPECT_EQ(view.ranks[0].state, RankState::Silent);
    EXPECT_EQ(view.ranks[1].state, RankState::Hanging);
    EXPECT_EQ(view.verdict, "No progress: rank 1 report a hang.");
    EXPECT_NE(formatText(view).find("3 of 4 ranks say something"), std::string::npos);
}

TEST(LiveView, KeepsItsSchemaAndSaysNullForWhatIsNotMeasured)
{
    for (const bool device : {true, false}) {
        RunNow run = runOf({.lateRank = 1, .lateMs = 20, .device = device});
        run.hosts[0].alarms.push_back({"hang", "it hangs", kNowMs, std::nullopt, ""});
        const std::string text = formatJson(viewOf(run));
        EXPECT_TRUE(ringside::test::keepsSchema(text, "live/ringside-top-1.schema.json")) << text;
        EXPECT_EQ(nlohmann::json::parse(text)["gpu_utilization"].is_null(), !device);
    }
}

TEST(LiveView, CountsLoadingOnlyWhereTheGpuIsIdle)
{
    RunNow run = runOf({});
    for (Process& process : run.hosts[0].processes) {
        for (Step& step : process.recentSteps) {
            step.loadingNs = step.stepNs; // the host runs ahead, and loads while its GPU computes
        }
    }
    EXPECT_EQ(viewOf(run).verdict, "Most of a step is computation (60.00 ms).");
    for (Process& process : run.hosts[0].processes) {
        for (Step& step : process.recentSteps) {
            step.idleNs = 80 * kNsAMs;
        }
    }
    EXPECT_EQ(viewOf(run).verdict, "Most of a step is an idle GPU, while the host loads data (80.00 ms).");
}

TEST(LiveText, FitsIntoTheWidthOfATerminal)
{
    for (const std::size_t width : {40U, 80U, 120U}) {
        std::istringstream text(formatText(viewOf(runOf({.lateRank = 2, .lateMs = 20})), {.width = width}));
        std::size_t longestProse = 0;
        bool isTable = false;
        for (std::string line; std::getline(text, line);) {
            isTable = isTable || line.starts_with(" rank");
            longestProse =
                std::max(longestProse, isTable || line.find("wait") != std::string::npos ? 0 : line.size());
        }
        EXPECT_LE(longestProse, width);
    }
    const std::string line = formatText(viewOf(runOf({})), {.width = 80});
    EXPECT_NE(line.find("idle ms  last"), std::string::npos) << line;
    EXPECT_NE(line.find("4 ranks on node1\n"), std::string::npos) << line;
}

TEST(LiveText, NamesTheHostOfEachRankWhereThereAreSeveral)
{
    RunNow run = runOf({});
    run.hosts.push_back(run.hosts[0]);
    run.hosts[1].host = "node2";
    run.hosts[1].processes.erase(run.hosts[1].processes.begin(), run.hosts[1].processes.begin() + 2);
    run.hosts[0].processes.resize(2);
    const std::string text = formatText(viewOf(run));
    EXPECT_NE(text.find("  node2\n"), std::string::npos) << text;
}

TEST(LiveText, ShowsAllOfManyRanksAsAStrip)
{
    const JobView view = viewOf(runOf({.ranks = 200, .lateRank = 150, .lateMs = 20}));
    const std::string text = formatText(view, {.mostRanks = 4, .width = 80});
    EXPECT_NE(text.find("Lateness of all ranks, the highest bar 20.0 ms:\n    0 ▁▁▁"), std::string::npos)
        << text;
    EXPECT_NE(text.find("  148 ▁▁█▁"), std::string::npos) << text;
    EXPECT_EQ(formatText(view, {.strips = false}).find("Lateness"), std::string::npos);
}

TEST(HeatStrip, SharesCharactersAmongRanksAndShowsTheWorst)
{
    std::vector<RankView> ranks(100);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        ranks[i].rank = static_cast<std::int64_t>(i);
        ranks[i].lateNs = i == 42 ? 9 : 0;
    }
    ranks[70].state = RankState::Silent;
    ranks[71].state = RankState::Hanging;
    ranks[99].lateNs.reset();
    EXPECT_EQ(heatStrip(ranks, 16, 2), (std::vector<std::string>{"    0 ▁▁▁▁▁▁▁▁█▁", "   50 ▁▁▁▁H▁▁▁▁▁"}));
    EXPECT_EQ(heatStrip({ranks[99]}, 16, 2), std::vector<std::string>{"   99 ."});
    EXPECT_EQ(heatStrip({ranks[70]}, 16, 2), std::vector<std::string>{"   70 ?"});
    EXPECT_TRUE(heatStrip({}, 16, 2).empty());
}

TEST(LiveFilter, TakesNumbersStatesAndHosts)
{
    RankView rank;
    rank.rank = 12;
    rank.host = "node-7";
    for (const char* filter : {"", "12", "0-3,8-12", "running", "node-7", "ode"}) {
        EXPECT_TRUE(matches(rank, filter)) << filter;
    }
    for (const char* filter : {"1", "13-", "0-3", "hanging", "node8", "12-3", ","}) {
        EXPECT_FALSE(matches(rank, filter)) << filter;
    }
    const std::string text = formatText(viewOf(runOf({})), {.filter = "1-2"});
    EXPECT_NE(text.find("2 ranks not shown"), std::string::npos) << text;
}

TEST(LiveExplanation, ExplainsEachKindOfAlarmOnceAndUnknownOnesNot)
{
    RunNow run = runOf({.lateRank = 1, .lateMs = 20});
    run.hosts[0].alarms = {{"straggler", "rank 1 is late", kNowMs, 1, ""},
                           {"straggler", "rank 2 is late", kNowMs, 2, ""},
                           {"of_a_newer_version", "something", kNowMs, std::nullopt, ""}};
    const std::vector<std::string> paragraphs = explanationOf(viewOf(run));
    ASSERT_EQ(paragraphs.size(), 6U);
    EXPECT_EQ(paragraphs[2], "Alarm: rank 1 is late.");
    EXPECT_TRUE(paragraphs[3].starts_with("It begins when the others wait for a rank for 10 % of a step. "));
    EXPECT_EQ(paragraphs[5], "Alarm: something.");
}

TEST(LiveMetrics, AreThereForPrometheus)
{
    RunNow run = runOf({.lateRank = 1, .lateMs = 20});
    run.hosts[0].alarms.push_back({"hang", "it hangs", kNowMs, std::nullopt, ""});
    const JobView view = viewOf(run);
    const std::string text = formatPrometheus(view);
    EXPECT_NE(text.find("ringside_rank_late_seconds{run=\"job.ringside\",rank=\"1\"} 0.02\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("ringside_alarms{run=\"job.ringside\",kind=\"hang\"} 1\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("ringside_alarms{run=\"job.ringside\",kind=\"straggler\"} 0\n"), std::string::npos)
        << text;
}

TEST(LiveMetrics, HaveNoLineForWhatIsNotMeasured)
{
    const std::string text = formatPrometheus(viewOf(runOf({.device = false})));
    EXPECT_EQ(text.find("gpu_utilization"), std::string::npos);
    EXPECT_EQ(text.find("part=\"compute\""), std::string::npos);
}

TEST(LiveView, HasAStripPerRank)
{
    EXPECT_EQ(sparkline({1, 2, 3}, 4), " ▁▅█");
    EXPECT_EQ(sparkline({}, 2), "  ");
    EXPECT_EQ(sparkline({5, 5}, 2), "▁▁");
}

TEST(LiveSnapshot, RefusesWhatIsNone)
{
    EXPECT_FALSE(parseSnapshot(""));
    EXPECT_FALSE(parseSnapshot("{"));
    EXPECT_FALSE(parseSnapshot("[1, 2]"));
    EXPECT_FALSE(parseSnapshot(R"({"schema": "ringside-live/2"})"));
    EXPECT_FALSE(parseSnapshot(R"({"schema": 7})"));
    EXPECT_FALSE(parseSnapshot(std::string(100'000, '[')));
}

TEST(LiveSnapshot, LeavesOutWhatCannotBe)
{
    const auto snapshot =
        parseSnapshot(R"({"schema": "ringside-live/1", "host": "a\u001b[31mb", "written_ms": -5,
        "processes": [7, {"process": 3, "pid": 1e300, "at_ms": 18446744073709551615, "ranks": [{"rank": -1}],
        "recent_steps": [{"id": 2, "step_ns": -1, "compute_ns": -7, "source": "mark"},
                         {"id": 1, "step_ns": 9007199254740993, "end_ms": 5}], "samples": {"a": 1}}]})");
    ASSERT_TRUE(snapshot);
    EXPECT_EQ(snapshot->host, "a [31mb");
    EXPECT_EQ(snapshot->writtenMs, 0);
    ASSERT_EQ(snapshot->processes.size(), 1U);
    const Process& process = snapshot->processes[0];
    EXPECT_EQ(process.pid, 0);
    EXPECT_EQ(process.atMs, 0);
    ASSERT_EQ(process.recentSteps.size(), 2U);
    EXPECT_EQ(process.recentSteps[0].id, 1); // by id
    EXPECT_EQ(process.recentSteps[0].stepNs, 0);
    EXPECT_EQ(process.recentSteps[1].computeNs, std::nullopt);
    RunNow run;
    run.hosts.push_back(*snapshot);
    EXPECT_FALSE(formatText(viewOf(run)).empty());
}

} // namespace
} // namespace ringside::live
