// SPDX-License-Identifier: Apache-2.0
// High confidence ends where a host was busy, a witness is missing, two causes cost the same or the halves of
// a run differ.
#include "report/confidence.h"
#include "report/report.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ringside::report {
namespace {

using namespace test;

/// Whether a condition holds for the first finding of a report.
bool holds(const Report& report, std::string_view id)
{
    const auto judged = judgeConfidence(report, report.findings.empty() ? nullptr : &report.findings.front());
    const auto found =
        std::ranges::find_if(judged, [id](const Judged& each) { return each.condition->id == id; });
    EXPECT_NE(found, judged.end()) << id;
    return !found->broken;
}

rules::Finding finding(std::string rule, std::int64_t costNs, rules::Limit limit)
{
    rules::Finding result;
    result.rule = std::move(rule);
    result.costNsPerStep = costNs;
    result.limit = limit;
    return result;
}

TEST(Confidence, IsNotHighOnAHostWithoutEnoughProcessors)
{
    Report report;
    report.findings = {finding("late_rank", 100, rules::Limit::LateRank)};
    EXPECT_TRUE(holds(report, "quiet_hosts"));
    report.findings.push_back(finding("cpu_contention", 1, rules::Limit::Host));
    EXPECT_FALSE(holds(report, "quiet_hosts"));
    std::swap(report.findings[0], report.findings[1]);
    EXPECT_TRUE(holds(report, "quiet_hosts")) << "the verdict names it";
}

TEST(Confidence, OfALateRankNeedsTimelineAndReplay)
{
    Report report;
    report.findings = {finding("late_rank", 100, rules::Limit::LateRank)};
    rules::Finding& late = report.findings.front();
    EXPECT_FALSE(holds(report, "three_witnesses"));
    late.figures.push_back({"replayed_saving_ns", rules::Unit::Ns, 100, {}, rules::PerPeriod::Yes});
    EXPECT_FALSE(holds(report, "three_witnesses"));
    late.figures.push_back({"cause_excess_ns", rules::Unit::Ns, 100, {}, rules::PerPeriod::Yes});
    EXPECT_TRUE(holds(report, "three_witnesses"));
    late.figures.back() = {"phase_excess_ns", rules::Unit::Ns, 100, {}, rules::PerPeriod::Yes};
    EXPECT_TRUE(holds(report, "three_witnesses")) << "NCCL says so itself";
    late.figures.back().value = -100;
    EXPECT_FALSE(holds(report, "three_witnesses"));
    late.figures.push_back({"cause_excess_ns", rules::Unit::Ns, 100, {}, rules::PerPeriod::Yes});
    EXPECT_FALSE(holds(report, "three_witnesses")) << "the others came later, says NCCL";
    report.findings = {finding("small_messages", 100, rules::Limit::Communication)};
    EXPECT_TRUE(holds(report, "three_witnesses")) << "no late rank is claimed";
}

TEST(Confidence, IsNotHighBetweenTwoCausesThatCostTheSame)
{
    Report report;
    report.findings = {finding("late_rank", 100, rules::Limit::LateRank),
                       finding("small_messages", 79, rules::Limit::Communication)};
    EXPECT_TRUE(holds(report, "clearly_first"));
    report.findings[1].costNsPerStep = 81;
    EXPECT_FALSE(holds(report, "clearly_first"));
    report.findings[1].limit = rules::Limit::LateRank;
    EXPECT_TRUE(holds(report, "clearly_first")) << "the verdict would be the same";
    report.findings[1].limit = rules::Limit::Data;
    report.findings[1].partOf = {"late_rank"};
    EXPECT_TRUE(holds(report, "clearly_first")) << "it is within the first: why the rank is late";
}

TEST(Confidence, NeedsACostAndACauseThatExplainsTheLoss)
{
    Report report;
    report.findings = {finding("small_messages", 100, rules::Limit::Communication)};
    EXPECT_TRUE(holds(report, "costed"));
    report.findings[0].costNsPerStep.reset();
    EXPECT_FALSE(holds(report, "costed"));

    report.findings = {finding("exposed_communication", 100, rules::Limit::Communication)};
    report.findings[0].cause = false;
    EXPECT_TRUE(holds(report, "explained")) << "nothing explains a part of it";
    report.findings.push_back(finding("parameter_server_pattern", 20, rules::Limit::Communication));
    report.findings[1].partOf = {"exposed_communication"};
    EXPECT_TRUE(holds(report, "explained")) << "it is information";
    report.findings[1].severity = rules::Severity::Warning;
    EXPECT_FALSE(holds(report, "explained"));
    std::swap(report.findings[0], report.findings[1]);
    EXPECT_TRUE(holds(report, "explained")) << "the cause itself";
}

/// Rank 1 is late in all 20 steps, or only in the first of them.
Report reportOfLateRank(int lateSteps)
{
    TraceBuilder trace(4);
    int number = 0;
    trace.steps(20, [&](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.rank(1).compute(number++ < lateSteps ? 6ms : 10us);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return buildReport(trace.run(), {});
}

TEST(Confidence, IsNotHighIfTheHalvesOfARunDiffer)
{
    const Report always = reportOfLateRank(20);
    EXPECT_TRUE(holds(always, "stable"));
    EXPECT_EQ(always.verdict.confidence, Confidence::High);
    const Report early = reportOfLateRank(10);
    ASSERT_FALSE(early.findings.empty());
    EXPECT_FALSE(holds(early, "stable"));
    EXPECT_NE(early.verdict.confidence, Confidence::High);
}

} // namespace
} // namespace ringside::report
