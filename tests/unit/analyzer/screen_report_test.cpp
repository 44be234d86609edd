// SPDX-License-Identifier: Apache-2.0
// What the text report tells on a screen: each loss once, what is left out by number; and what it does not
// claim where ranks are missing.
#include "report/format.h"
#include "support/trace_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside::report {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

/// Rank 1 is late by 6 of 17 ms.
trace::RunTrace lateRankOf(int ranks, int steps)
{
    TraceBuilder trace(ranks);
    trace.steps(steps, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.rank(1).compute(6ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return trace.run();
}

std::string screenOf(const Report& report, Extent extent = Extent::Screen)
{
    for (const Format* format : all()) {
        if (format->id == "text") {
            return format->render(report, {.extent = extent});
        }
    }
    return {};
}

std::string restatedBy(const Report& report, std::string_view rule)
{
    for (const rules::Finding& finding : report.findings) {
        if (finding.rule == rule) {
            return finding.restates;
        }
    }
    return "no such finding";
}

TEST(ScreenReport, SaysALossOnce)
{
    const Report report = buildReport(lateRankOf(4, 20), {});
    EXPECT_EQ(report.verdict.rule, "late_rank");
    EXPECT_EQ(restatedBy(report, "late_rank"), "");
    EXPECT_EQ(restatedBy(report, "exposed_communication"), "late_rank");
    const std::string text = screenOf(report);
    const std::string findings = text.substr(text.find("Findings"));
    EXPECT_LT(findings.find("[late_rank]"), findings.find("cost:"));
    EXPECT_THAT(findings, HasSubstr("the same loss: "));
    for (const rules::Finding& finding : report.findings) {
        const std::string name = "[" + finding.rule + "]";
        const std::size_t first = text.find(name);
        ASSERT_NE(first, std::string::npos) << name;
        EXPECT_EQ(text.find(name, first + 1), std::string::npos) << name;
    }
}

TEST(ScreenReport, DoesNotFoldARemedyOfItsOwnIntoAnotherCause)
{
    TraceBuilder trace(4);
    trace.steps(20, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.rank(1).compute(6ms);
        step.allReduce(4_MiB, {.takes = 5ms});
    });
    const Report report = buildReport(trace.run(), {});
    EXPECT_EQ(report.verdict.rule, "late_rank");
    EXPECT_EQ(restatedBy(report, "fp32_gradients"), "");
    EXPECT_EQ(restatedBy(report, "comm_share_high"), "exposed_communication");
}

TEST(ScreenReport, LeavesOutWhatAllShows)
{
    const Report report = buildReport(lateRankOf(40, 20), {});
    const std::string screen = screenOf(report);
    EXPECT_THAT(screen, HasSubstr("24 more rows: `--all` shows everything"));
    EXPECT_THAT(screen, HasSubstr("Not judged: " + std::to_string(report.notApplicable.size()) + " rules"));
    EXPECT_THAT(screen, Not(HasSubstr(report.notApplicable.front().rule)));
    const std::string everything = screenOf(report, Extent::All);
    EXPECT_THAT(everything, Not(HasSubstr("more rows")));
    EXPECT_THAT(everything, HasSubstr(report.notApplicable.front().rule));
    EXPECT_THAT(everything, HasSubstr("Idle time of a step by its cause"));
}

TEST(OneRankOfMany, DoesNotCallWaitingTransfer)
{
    trace::RunTrace run = lateRankOf(4, 20);
    run.processes.resize(1);
    const std::string text = screenOf(buildReport(run, {}));
    EXPECT_THAT(text, HasSubstr("communication that may be transfer or"));
    EXPECT_THAT(text, Not(HasSubstr("check the link's bandwidth")));
    EXPECT_THAT(text, Not(HasSubstr("Let it overlap")));
}

TEST(DataSkew, IsNoChangeThatNobodySaw)
{
    const auto skewed = [](int steps) {
        TraceBuilder trace(4);
        int number = 0;
        trace.steps(steps, [&](StepBuilder& step) {
            step.everyRank().compute(10ms);
            step.rank(number++ % 4).compute(4ms);
            step.allReduce(4_MiB, {.takes = 1ms});
        });
        const Report report = buildReport(trace.run(), {});
        return std::ranges::count(report.findings, "data_skew", &rules::Finding::rule);
    };
    EXPECT_EQ(skewed(3), 0);
    EXPECT_EQ(skewed(20), 1);
}

} // namespace
} // namespace ringside::report
