// SPDX-License-Identifier: Apache-2.0
// What `ringside top` makes of snapshots: good ones, those of jobs in trouble, and files that are none.
#include "analyzer/json_schema.h"
#include "analyzer/live_fixture.h"
#include "live/show.h"
#include "live/view.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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

TEST(LiveView, BlamesNobodyInAHealthyJob)
{
    const JobView view = viewOf(runOf({}));
    EXPECT_EQ(view.ranks[0].lateNs, 0);
    EXPECT_EQ(view.verdict.find("rank"), std::string::npos) << view.verdict;
    EXPECT_TRUE(view.waits.empty());
    EXPECT_TRUE(view.complaints.empty());
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
    EXPECT_EQ(view.complaints[0].what, "symbol_errors +7 since the recording began");
    EXPECT_EQ(view.complaints[1].what, "heat holds the clocks down");
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
