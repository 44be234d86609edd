// SPDX-License-Identifier: Apache-2.0
// Jobs of several process groups: who is the origin of a delay, not who waits for it.
#include "metrics/pipeline.h"
#include "parallel_draw.h"
#include "report/report.h"
#include "support/said.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

namespace {

using namespace ringside;
using namespace ringside::test;

report::Report reportOf(const ParallelShape& shape, const PlantedFault& fault)
{
    return report::buildReport(playParallelJob(shape, fault).run(), {});
}

std::string textOf(const report::Report& report)
{
    std::string text = said(report.verdict.summary);
    for (const rules::Finding& finding : report.findings) {
        text += "\n" + finding.rule + ": " + said(finding.title);
    }
    for (const report::MissingRule& missing : report.notApplicable) {
        text += missing.inconclusive ? "\n(" + missing.rule + ": " + said(missing.reason) + ")" : "";
    }
    return text;
}

bool isNamed(const report::Report& report, std::string_view rule)
{
    return std::ranges::find(report.findings, rule, &rules::Finding::rule) != report.findings.end();
}

TEST(ParallelJob, NamesTheSlowStageNotTheNeighbourThatWaits)
{
    for (const bool pairs : {false, true}) {
        const ParallelShape shape{.stages = 4, .pairGroups = pairs};
        const auto report = reportOf(shape, {.what = ParallelFault::SlowStage, .stage = 2, .factor = 2});
        ASSERT_FALSE(report.findings.empty());
        EXPECT_EQ(report.findings.front().rule, "pipeline_stage_imbalance") << textOf(report);
        EXPECT_EQ(report.findings.front().ranks, std::vector<std::int64_t>{2}) << textOf(report);
        EXPECT_NE(said(report.findings.front().title).find("Stage 3 of 4 (rank 2)"), std::string::npos)
            << textOf(report);
        EXPECT_FALSE(isNamed(report, "late_rank")) << textOf(report);
        const auto spread =
            std::ranges::find(report.findings, "gpu_utilization_spread", &rules::Finding::rule);
        ASSERT_NE(spread, report.findings.end()) << textOf(report);
        EXPECT_EQ(spread->restates, "pipeline_stage_imbalance");
    }
}

/// Nobody told what the kernels of messages belong to: who is late to the collectives behind them is no
/// culprit.
TEST(ParallelJob, BlamesNoRankIfMessagesAreUnknown)
{
    trace::RunTrace run =
        playParallelJob({.stages = 4}, {.what = ParallelFault::SlowStage, .stage = 2, .factor = 2}).run();
    for (trace::ProcessTrace& process : run.processes) {
        for (trace::CollectiveCallRow& call : process.collectiveCalls) {
            call.peer.reset();
        }
    }
    const auto report = report::buildReport(run, {});
    EXPECT_FALSE(isNamed(report, "late_rank")) << textOf(report);
    const auto missing = std::ranges::find(report.notApplicable, "late_rank", &report::MissingRule::rule);
    ASSERT_NE(missing, report.notApplicable.end());
    EXPECT_TRUE(missing->inconclusive);
}

/// The first finding of these kinds, which are told apart.
const rules::Finding* firstOrigin(const report::Report& report)
{
    constexpr std::string_view kOrigins[] = {
        "late_rank", "pipeline_stage_imbalance", "data_skew",     "step_time_jitter",
        "slow_link", "expert_imbalance",         "compute_jitter"};
    const auto found = std::ranges::find_if(report.findings, [&](const rules::Finding& finding) {
        return finding.severity != rules::Severity::Info && finding.cause &&
               std::ranges::find(kOrigins, finding.rule) != std::end(kOrigins);
    });
    return found == report.findings.end() ? nullptr : &*found;
}

struct ScheduleCase {
    std::string_view name;
    ParallelShape shape;
    double ideal;
};

std::vector<ScheduleCase> schedules()
{
    return {
        {"1F1B", {.stages = 4, .replicas = 2, .microBatches = 8}, 3.0 / 11},
        {"interleaved", {.stages = 4, .replicas = 2, .microBatches = 8, .chunks = 2}, 3.0 / 19},
        {"interleaved in three", {.stages = 3, .replicas = 2, .microBatches = 9, .chunks = 3}, 2.0 / 29},
        {"zero bubble", {.stages = 4, .replicas = 2, .microBatches = 8, .zeroBubble = true}, 3.0 / 27},
    };
}

/// The bubble of a healthy pipeline is that of its schedule, apart from what its messages take.
TEST(ParallelJob, ComparesTheBubbleWithThatOfItsSchedule)
{
    for (const ScheduleCase& each : schedules()) {
        const auto report = reportOf(each.shape, {});
        const auto figures = metrics::pipelineOf(report.model, report.metrics);
        EXPECT_EQ(figures.microBatches(), each.shape.microBatches) << each.name;
        EXPECT_EQ(figures.chunks, each.shape.chunks) << each.name;
        EXPECT_EQ(figures.zeroBubble, each.shape.zeroBubble) << each.name;
        EXPECT_NEAR(figures.idealBubble(), each.ideal, 1e-9) << each.name;
        EXPECT_NEAR(figures.bubble, each.ideal, 0.05) << each.name;
        EXPECT_EQ(firstOrigin(report), nullptr) << each.name << "\n" << textOf(report);
    }
}

TEST(ParallelJob, NamesOriginsInOtherSchedules)
{
    for (const ScheduleCase& each : schedules()) {
        const int last = each.shape.stages - 1;
        const auto slowStage =
            reportOf(each.shape, {.what = ParallelFault::SlowStage, .stage = last, .factor = 1.8});
        const rules::Finding* first = firstOrigin(slowStage);
        ASSERT_NE(first, nullptr) << each.name << "\n" << textOf(slowStage);
        EXPECT_EQ(first->rule, "pipeline_stage_imbalance") << each.name << "\n" << textOf(slowStage);
        EXPECT_EQ(first->ranks, ranksOfStage(each.shape, last)) << each.name;
        if (each.shape.replicas == 1) {
            continue; // no peers to compare a worker with
        }
        const int worker = each.shape.rankAt(1, 1, 0);
        const auto slowWorker =
            reportOf(each.shape, {.what = ParallelFault::SlowWorker, .rank = worker, .factor = 1.8});
        first = firstOrigin(slowWorker);
        ASSERT_NE(first, nullptr) << each.name << "\n" << textOf(slowWorker);
        EXPECT_EQ(first->rule, "late_rank") << each.name << "\n" << textOf(slowWorker);
        EXPECT_EQ(first->ranks, std::vector<std::int64_t>{worker}) << each.name;
    }
}

/// Where hosts exchange only messages, the error of their clocks is about as long as a message.
TEST(ParallelJob, TellsASlowLinkFromTheErrorOfClocks)
{
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const ParallelShape shape{.stages = 4, .hostPerStage = true, .seed = seed};
        const auto healthy = reportOf(shape, {});
        EXPECT_EQ(firstOrigin(healthy), nullptr) << textOf(healthy);
        const auto slow = reportOf(shape, {.what = ParallelFault::SlowLink, .stage = 1, .factor = 3});
        EXPECT_TRUE(std::ranges::count(slow.findings, "slow_link", &rules::Finding::rule)) << textOf(slow);
    }
}

/// A rank that stops now and then is late_rank's as well as step_time_jitter's.
std::string_view ruleOf(const rules::Finding& finding)
{
    const bool nowAndThen =
        said(finding.title).find("delays the others from time to time") != std::string::npos;
    return nowAndThen ? std::string_view("step_time_jitter") : std::string_view(finding.rule);
}

TEST(ParallelJob, DistinguishesWorkersStagesDataLinksAndExperts)
{
    constexpr std::uint64_t kDrawn = 112;
    std::size_t right = 0;
    for (std::uint64_t seed = 0; seed < kDrawn; ++seed) {
        const DrawnParallelJob job = ParallelJobDrawer(seed).draw();
        const auto report = reportOf(job.shape, job.fault);
        const rules::Finding* const first = firstOrigin(report);
        const bool named =
            first == nullptr ? job.rule.empty()
                             : ruleOf(*first) == job.rule && (job.ranks.empty() || first->ranks == job.ranks);
        right += named ? 1 : 0;
        if (!named) {
            std::cout << seed << ": " << wordsOf(job.shape) << "; wanted " << job.rule << " of "
                      << ::testing::PrintToString(job.ranks) << "\n"
                      << textOf(report) << "\n\n";
        }
    }
    EXPECT_GE(right, kDrawn);
}

/// The long micro-batches of a replica lie at other places in each step.
TEST(ParallelJob, NamesMicroBatchesOfDifferentLength)
{
    for (const ParallelShape& shape :
         {ParallelShape{.stages = 4, .replicas = 2},
          ParallelShape{.stages = 2, .replicas = 4, .hostPerStage = true},
          ParallelShape{.stages = 4, .replicas = 2, .chunks = 2}, ParallelShape{.replicas = 2, .tensor = 2},
          ParallelShape{.replicas = 4, .microBatches = 4}, ParallelShape{.stages = 4, .microBatches = 6}}) {
        const auto report = reportOf(shape, {.what = ParallelFault::UnequalMicroBatches, .factor = 2.5});
        const rules::Finding* const first = firstOrigin(report);
        ASSERT_NE(first, nullptr) << wordsOf(shape) << "\n" << textOf(report);
        EXPECT_EQ(first->rule, "data_skew") << wordsOf(shape) << "\n" << textOf(report);
        EXPECT_EQ(report.verdict.rule, "data_skew") << wordsOf(shape) << "\n" << textOf(report);
    }
}

/// What equal micro-batches would save, told by the same job with equal ones.
TEST(ParallelJob, ChargesTheLongestMicroBatchWithWhatTheStagesWait)
{
    const ParallelShape shape{.stages = 4, .noise = 0};
    const auto equal = reportOf(shape, {});
    const auto unequal = reportOf(shape, {.what = ParallelFault::UnequalMicroBatches, .factor = 2.5});
    const rules::Finding* const skew = firstOrigin(unequal);
    ASSERT_NE(skew, nullptr) << textOf(unequal);
    const auto compute = [](const report::Report& report) {
        return static_cast<double>(report.metrics.perStep(&metrics::Breakdown::computeNs));
    };
    // The batches of the two jobs are not of the same length in sum.
    const double ideal = static_cast<double>(equal.metrics.stepNs()) * compute(unequal) / compute(equal);
    const double lost = static_cast<double>(unequal.metrics.stepNs()) - ideal;
    EXPECT_NEAR(static_cast<double>(skew->costNsPerStep.value_or(0)) / lost, 1, 0.4) << textOf(unequal);
}

/// Other kernels take longer each time: that is no batch. Nor is anybody sure of batches whose GPUs' clocks
/// nobody recorded.
TEST(ParallelJob, IsNotSureOfWhatDisturbsChangingRanks)
{
    const ParallelShape shape{.replicas = 4};
    struct Unsure {
        ParallelFault fault;
        std::string_view rule;
        std::string_view reason;
    };
    for (const Unsure& each :
         {Unsure{ParallelFault::Disturbances, "compute_jitter", "was not measured"},
          Unsure{ParallelFault::UnequalSequences, "data_skew", "clocks were not recorded"}}) {
        const auto report = reportOf(shape, {.what = each.fault});
        EXPECT_EQ(report.verdict.rule, each.rule) << textOf(report);
        EXPECT_EQ(report.verdict.confidence, report::Confidence::Medium) << said(report.verdict.reason);
        EXPECT_NE(said(report.verdict.reason).find(each.reason), std::string::npos)
            << said(report.verdict.reason);
    }
}

} // namespace
