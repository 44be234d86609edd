// SPDX-License-Identifier: Apache-2.0
// The text report on a terminal: each loss once, the number of omitted items, and no claims about missing
// ranks.
#include "compare/comparison.h"
#include "compare/scaling.h"
#include "report/format.h"
#include "support/said.h"
#include "support/trace_builder.h"

#include <ringside/error.h>

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
    return formatNamed("text").render(report, {.extent = extent});
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

/// Each call on a communicator of its own, of the same ranks.
trace::RunTrace manyCommunicators(int communicators)
{
    TraceBuilder trace = TraceBuilder(2);
    trace.steps(communicators, [](StepBuilder& step) {
        step.everyRank().compute(1ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    for (int rank = 0; rank < 2; ++rank) {
        trace::ProcessTrace& process = trace.process(rank);
        process.communicators.front().name = 0;
        for (int i = 1; i < communicators; ++i) {
            trace::CommunicatorRow& row = process.communicators.emplace_back(process.communicators.front());
            row.id = 100 + i;
            row.hash += static_cast<std::uint64_t>(i) << 32;
            process.collectiveCalls[static_cast<std::size_t>(i)].communicator = row.id;
        }
    }
    return trace.run();
}

TEST(ScreenReport, FoldsCommunicatorsThatAreAlike)
{
    const Report report = buildReport(manyCommunicators(30), {});
    const std::string text = screenOf(report);
    EXPECT_THAT(text, testing::ContainsRegex("AllReduce +2 +4.00 MiB +30 +30 +1000"));
    EXPECT_THAT(text, testing::ContainsRegex("1000  ranks 0-1 "));
    const std::string whole = screenOf(report, Extent::All);
    EXPECT_THAT(whole, testing::ContainsRegex("AllReduce +2 +4.00 MiB +1 +1000"));
    EXPECT_THAT(screenOf(buildReport(manyCommunicators(10), {})),
                testing::ContainsRegex("AllReduce +2 +4.00 MiB +1 +1000"));
}

TEST(ScreenReport, ListsALossOnce)
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

TEST(MarkdownAndHtml, SayALossOnce)
{
    const Report report = buildReport(lateRankOf(4, 20), {});
    for (const bool html : {false, true}) {
        const std::string text = formatNamed(html ? "html" : "markdown").render(report);
        EXPECT_THAT(text, HasSubstr(html ? "<p>The same loss: " : "- the same loss: "));
        EXPECT_THAT(text, Not(HasSubstr(html ? "<code>exposed_communication</code></p>\n<p class"
                                             : "- rule `exposed_communication`")));
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
    EXPECT_THAT(screen, HasSubstr("All 40 ranks: `--all` shows everything"));
    EXPECT_THAT(screen,
                HasSubstr("Not applicable: " + std::to_string(report.notApplicable.size()) + " rules"));
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

/// Rank 1 comes 4 ms late to collectives of which no two have the same size, in a job without step marks.
trace::RunTrace jobWithoutSteps(bool imported)
{
    TraceBuilder trace(4);
    trace.withoutStepMarks();
    int number = 0;
    trace.steps(40, [&](StepBuilder& step) {
        step.everyRank().hostIdle(3ms).compute((1 + number * number % 7) * 1ms);
        step.rank(1).compute(4ms);
        step.allReduce((number + 1) * 1_MiB, {.takes = 1ms});
        ++number;
    });
    trace::RunTrace run = trace.run();
    if (imported) {
        run.issues.push_back({trace::Issue::Imported, 1, "a file was imported"});
    }
    return run;
}

TEST(RecordingWithoutSteps, IsReportedByTheSecond)
{
    const Report report = buildReport(jobWithoutSteps(false), {});
    ASSERT_TRUE(report.model.recordingIsStep());
    const std::string text = screenOf(report, Extent::All);
    EXPECT_THAT(text, HasSubstr("No step was found: figures are shares of the recording"));
    EXPECT_THAT(text, HasSubstr(" ms a second"));
    EXPECT_THAT(text, HasSubstr("Where each second of the recording goes"));
    const std::string findings =
        text.substr(text.find("Findings"), text.find("Not applicable") - text.find("Findings"));
    for (const char* words : {" a step", "the step", "per step", "steps:"}) {
        EXPECT_THAT(findings, Not(HasSubstr(words)));
    }
    for (const rules::Finding& finding : report.findings) {
        EXPECT_TRUE(finding.perSecond) << finding.rule;
        EXPECT_LE(finding.costNsPerStep.value_or(0), 1'000'000'000) << finding.rule;
    }
}

TEST(RecordingWithoutSteps, HasNoStepTimeToCompare)
{
    const Report report = buildReport(jobWithoutSteps(false), {});
    const compare::Comparison comparison = compare::compareRuns(report, report, 0.02);
    EXPECT_EQ(comparison.metrics.front().base.count, 0U);
    EXPECT_EQ(comparison.verdict(), compare::Verdict::Inconclusive);
    EXPECT_THAT(compare::textOf(comparison, false, 200), HasSubstr("No step was found in the base"));
    EXPECT_THROW((void)compare::scalingOf({report, report}, compare::Work::PerRank), Error);
}

TEST(ImportedTrace, GetsNoAdviceAboutOptionsOfRecord)
{
    for (const bool imported : {false, true}) {
        trace::RunTrace run = jobWithoutSteps(imported);
        run.processes.resize(1);
        const std::string text = screenOf(buildReport(std::move(run), {}), Extent::All);
        // What only another tier feeds is not asked of a tool that never records it.
        EXPECT_EQ(text.find("record with `--profile") != std::string::npos, !imported);
        EXPECT_EQ(text.find("Ringside)") != std::string::npos, imported);
        EXPECT_EQ(text.find("ringside_step_begin") == std::string::npos, imported);
    }
}

trace::RunTrace served(const char* range)
{
    TraceBuilder trace(4);
    trace.steps(20, [&](StepBuilder& step) {
        step.everyRank().hostIdle(6ms).compute(2ms, {.kernel = "flash_fwd_splitkv_kernel"}).synchronize();
        step.allReduce(4_MiB, {.takes = 4ms});
        step.everyRank().compute(1ms);
    });
    trace::RunTrace run = trace.run();
    for (trace::ProcessTrace& process : run.processes) {
        const auto name = static_cast<trace::StringId>(process.strings.size() + 1000);
        process.strings.emplace(name, range);
        for (const trace::StepRow& step : process.steps) {
            trace::RangeRow row;
            row.name = name;
            row.startNs = step.startNs;
            row.endNs = step.endNs;
            process.ranges.push_back(row);
        }
        process.steps.clear();
    }
    return run;
}

TEST(Inference, IsCalledThatAndGetsNoAdviceAboutTraining)
{
    for (const char* range : {"execute_context_4(1024)_generation_0(0)", "step[DECODE bs=8]",
                              "[Executor] _forward_step 12: 0 ctx reqs, 0 ctx tokens, 8 gen reqs"}) {
        const Report report = buildReport(served(range), {});
        EXPECT_EQ(report.model.workload, model::Workload::Inference) << range;
        EXPECT_EQ(report.model.stepCoverage.found, 20U) << range;
        const std::string text = screenOf(report, Extent::All);
        EXPECT_THAT(text, HasSubstr("Inference: the trace has no backward pass"));
        const std::size_t begin = text.find("Findings");
        const std::string findings = text.substr(begin, text.find("Where a step goes") - begin);
        EXPECT_THAT(findings, HasSubstr("[exposed_communication]"));
        EXPECT_THAT(findings, HasSubstr("[sync_in_loop]"));
        const std::string advised =
            said(report.verdict.summary) + findings.substr(0, findings.find("Not applicable"));
        for (const char* words :
             {"gradient", "backward", "optimizer", "no_sync", "bucket", "micro-batch", "loss "}) {
            EXPECT_THAT(advised.substr(0, advised.find("the same loss")), Not(HasSubstr(words))) << range;
        }
    }
    EXPECT_EQ(buildReport(served("backward"), {}).model.workload, model::Workload::Training);
}

TEST(FewOfManyRanks, AreSaidToBeCompared)
{
    trace::RunTrace run = lateRankOf(4, 20);
    EXPECT_THAT(screenOf(buildReport(run, {})), Not(HasSubstr("ranks compared")));
    run.processes.resize(2);
    const Report report = buildReport(run, {});
    const auto imbalance = std::ranges::find(report.findings, "compute_imbalance", &rules::Finding::rule);
    ASSERT_NE(imbalance, report.findings.end());
    EXPECT_THAT(said(imbalance->title), HasSubstr("(2 of 4 ranks compared)"));
    EXPECT_THAT(screenOf(report), HasSubstr("by rank of 2 of 4 ranks"));
}

TEST(DataSkew, IsNotReportedForUnmeasuredChanges)
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
