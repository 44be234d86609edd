// SPDX-License-Identifier: Apache-2.0
// Late ranks in one to three steps, or in a recording without steps, judged in blocks within them.
#include "metrics/lateness.h"
#include "report/report.h"
#include "support/said.h"
#include "support/trace_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::report {
namespace {

using namespace test;
using testing::HasSubstr;

constexpr int kRanksOfFewSteps = 4;

/// `lateBy` gives, for a collective, each rank's additional compute.
trace::RunTrace fewSteps(int steps, int collectives, const std::function<nanoseconds(int, int)>& lateBy)
{
    TraceBuilder trace(kRanksOfFewSteps);
    trace.steps(steps, [&](StepBuilder& step) {
        for (int i = 0; i < collectives; ++i) {
            step.everyRank().compute(1ms);
            for (int rank = 0; rank < kRanksOfFewSteps; ++rank) {
                if (const nanoseconds late = lateBy(i, rank); late > 0ns) {
                    step.rank(rank).compute(late);
                }
            }
            step.allReduce(1_MiB, {.takes = 200us});
        }
    });
    return trace.run();
}

const rules::Finding* lateFindingOf(const Report& report)
{
    const auto found = std::ranges::find(report.findings, "late_rank", &rules::Finding::rule);
    return found == report.findings.end() ? nullptr : &*found;
}

TEST(LateInFewSteps, IsTheRankThatTheOthersWaitFor)
{
    for (const int steps : {1, 3}) {
        const Report report = buildReport(
            fewSteps(steps, 36, [](int, int rank) { return rank == 2 ? nanoseconds(2ms) : 0ns; }), {});
        const rules::Finding* const late = lateFindingOf(report);
        ASSERT_NE(late, nullptr) << steps;
        EXPECT_EQ(late->ranks, std::vector<std::int64_t>{2});
        EXPECT_EQ(late->severity, rules::Severity::Problem);
        EXPECT_THAT(said(late->title), HasSubstr(steps == 1 ? "in this one step" : "in these 3 steps"));
        EXPECT_THAT(said(late->title), HasSubstr("of " + std::to_string(steps * 36) + " collectives"));
        EXPECT_EQ(report.verdict.rule, "late_rank");
        EXPECT_EQ(report.verdict.confidence, Confidence::Low);
    }
}

TEST(LateInFewSteps, NamesTheGreatestLossAndThatItMayBeChance)
{
    // Six collectives are two blocks: too few. Rank 3 loses more than rank 0 does.
    const Report report = buildReport(fewSteps(1, 6,
                                               [](int i, int rank) {
                                                   return rank == 0 && i < 3    ? nanoseconds(1ms)
                                                          : rank == 3 && i >= 3 ? nanoseconds(3ms)
                                                                                : 0ns;
                                               }),
                                      {});
    const rules::Finding* const late = lateFindingOf(report);
    ASSERT_NE(late, nullptr);
    EXPECT_EQ(late->ranks, std::vector<std::int64_t>{3});
    EXPECT_EQ(late->severity, rules::Severity::Warning);
    EXPECT_THAT(said(late->title), HasSubstr("in 3 of 6 collectives"));
    EXPECT_THAT(said(late->title), HasSubstr("75.0 % of the waiting"));
    EXPECT_THAT(said(late->title), HasSubstr("With so few collectives it is not known"));
}

/// Two ranks take turns: neither alone is all that the others wait for, and the next one hardly counts.
TEST(LateInFewSteps, NamesAllWhoStandOut)
{
    const Report report = buildReport(fewSteps(1, 7,
                                               [](int i, int rank) {
                                                   return i < 4 && rank == 0             ? nanoseconds(2ms)
                                                          : i >= 4 && i < 6 && rank == 3 ? nanoseconds(3ms)
                                                          : i == 6 && rank == 1          ? nanoseconds(500us)
                                                                                         : 0ns;
                                               }),
                                      {});
    const rules::Finding* const late = lateFindingOf(report);
    ASSERT_NE(late, nullptr);
    EXPECT_EQ(late->ranks, (std::vector<std::int64_t>{0, 3})) << said(late->title);
}

/// Each rank is waited for as much as any other.
TEST(LateInFewSteps, NamesNoMoreThanHalfOfTheRanks)
{
    const Report report = buildReport(
        fewSteps(1, 8, [](int i, int rank) { return i % 4 == rank ? nanoseconds(2ms) : 0ns; }), {});
    const rules::Finding* const late = lateFindingOf(report);
    ASSERT_NE(late, nullptr);
    EXPECT_EQ(late->ranks.size(), 2U) << said(late->title);
}

TEST(LateInFewSteps, OneLongDelayIsOneEvent)
{
    // 5 of 36 collectives in a row are late for one reason: one block of six.
    const Report report = buildReport(
        fewSteps(1, 36,
                 [](int i, int rank) { return rank == 1 && i >= 6 && i < 11 ? nanoseconds(4ms) : 0ns; }),
        {});
    const rules::Finding* const late = lateFindingOf(report);
    ASSERT_NE(late, nullptr) << "no silence about a fifth of the time";
    EXPECT_THAT(said(late->title), HasSubstr("With so few collectives it is not known"));
    const metrics::LateGroups groups = metrics::findLateGroups(report.model, report.metrics);
    EXPECT_EQ(groups.blocks, 6U);
    EXPECT_TRUE(groups.withinSteps);
    EXPECT_EQ(groups.groups.front().worstOfOperations, 5U);
}

TEST(LateInFewSteps, TheInconclusiveAnswerNamesTheGreatestLoss)
{
    // Four analyzed steps of four ranks: with each order of two ranks, whatever their sets hash to.
    for (const auto& [little, much] : {std::pair(0, 3), std::pair(3, 0), std::pair(1, 2), std::pair(2, 1)}) {
        const Report report = buildReport(fewSteps(6, 2,
                                                   [&](int i, int rank) {
                                                       return i == 0 && rank == little ? nanoseconds(1ms)
                                                              : i == 1 && rank == much ? nanoseconds(3ms)
                                                                                       : 0ns;
                                                   }),
                                          {});
        const auto missing = std::ranges::find(report.notApplicable, "late_rank", &MissingRule::rule);
        ASSERT_NE(missing, report.notApplicable.end());
        EXPECT_TRUE(missing->inconclusive);
        EXPECT_THAT(said(missing->reason), HasSubstr("wait for rank " + std::to_string(much) + ","));
    }
}

TEST(LateInFewSteps, NoRankIsLateIfAllArriveTogether)
{
    EXPECT_EQ(lateFindingOf(buildReport(fewSteps(1, 36, [](int, int) { return 0ns; }), {})), nullptr);
}

TEST(LateInFewSteps, IsNeverSilentAboutSeveralThatTakeTurns)
{
    const Report report = buildReport(
        fewSteps(1, 8, [](int i, int rank) { return rank == i % 4 ? nanoseconds(5ms) : 0ns; }), {});
    const rules::Finding* const late = lateFindingOf(report);
    ASSERT_NE(late, nullptr);
    EXPECT_EQ(late->ranks.size(), 2U) << "those that hold half of the waiting";
    EXPECT_THAT(said(late->title), HasSubstr("In this one step, the others waited for rank"));
}

TEST(LateInARecording, IsJudgedByItsCollectives)
{
    trace::RunTrace run = fewSteps(1, 36, [](int i, int rank) {
        return (rank == 2 ? nanoseconds(2ms) : 0ns) + (i * i % 7) * nanoseconds(100us);
    });
    for (trace::ProcessTrace& process : run.processes) {
        process.steps.clear();
        process.ranges.clear();
    }
    model::StepsBy nobody;
    nobody.nothing = true;
    const Report report = buildReport(run, {}, nobody);
    ASSERT_TRUE(report.model.recordingIsStep());
    const rules::Finding* const late = lateFindingOf(report);
    ASSERT_NE(late, nullptr);
    EXPECT_EQ(late->ranks, std::vector<std::int64_t>{2});
    EXPECT_THAT(said(late->title), HasSubstr("in this recording"));
}

} // namespace
} // namespace ringside::report
