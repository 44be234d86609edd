// SPDX-License-Identifier: Apache-2.0
// Steps of recordings in which nothing marks them.
#include "model/build_model.h"
#include "model/model.h"
#include "model/steps.h"
#include "report/report.h"
#include "support/said.h"
#include "training_trace.h"

#include <gtest/gtest.h>

namespace ringside::model {
namespace {

TraceBuilder programOnOneGpu()
{
    TraceBuilder trace(1);
    trace.steps(kSteps, [](StepBuilder& step) { step.everyRank().hostIdle(1ms).compute(3ms); });
    trace.process(0).steps.clear();
    return trace;
}

TEST(Steps, OfAProgramThatMarksNoneAreTheWholeRecording)
{
    const report::Report report = report::buildReport(programOnOneGpu().run(), {});
    EXPECT_EQ(report.model.ranks[0].stepSource, StepSource::Recording);
    ASSERT_EQ(report.metrics.ranks.size(), 1U);
    EXPECT_EQ(report.metrics.ranks[0].total.computeNs, kSteps * std::int64_t{3'000'000});
    EXPECT_GT(report.metrics.ranks[0].total.idleNs, 0);
    EXPECT_FALSE(report.metrics.stepMedianNs) << "how long it lasted is no time of a step";
    EXPECT_NE(report.verdict.confidence, report::Confidence::High);
    EXPECT_NE(report.verdict.confidence, report::Confidence::Medium);
}

TEST(Steps, OfTheWholeRecordingBeginBehindItsWarmUp)
{
    TraceBuilder trace = programOnOneGpu();
    const trace::ProcessTrace& process = trace.process(0);
    const std::int64_t start = process.kernels.startNs.front();
    const std::int64_t warm = process.kernels.startNs[2];
    trace.process(0).windows = {{"standard", start, warm, std::string(trace::kWarmUp), 1},
                                {"standard", warm, std::nullopt, "later", 1}};
    const Model model = buildModel(trace.run());
    ASSERT_EQ(model.ranks[0].steps.size(), 1U);
    EXPECT_EQ(model.ranks[0].steps[0].host.start, warm);
}

TEST(Steps, OfTheWholeRecordingHoldNothingThatWasNotMeasured)
{
    TraceBuilder trace = programOnOneGpu();
    const trace::ProcessTrace& process = trace.process(0);
    const std::int64_t start = process.kernels.startNs.front();
    const std::int64_t from = process.kernels.startNs[1];
    const std::int64_t until = process.kernels.startNs[2];
    for (const auto& [level, why] :
         {std::pair(trace::LevelName("standard"), std::string(trace::kHandedOver) + ": and so on"),
          std::pair(trace::LevelName("light"), std::string("outside of 2 s of every 62 s"))}) {
        trace.process(0).windows = {{"standard", start, from, "", 1},
                                    {level, from, until, why, 1},
                                    {"standard", until, std::nullopt, "", 1}};
        const Model model = buildModel(trace.run());
        ASSERT_EQ(model.ranks[0].steps.size(), 1U);
        EXPECT_EQ(model.ranks[0].steps[0].host.start, until) << level.text();
    }
}

/// Rank 1 comes 2 ms later to each of few collectives, between which nothing repeats.
TraceBuilder jobWithoutSteps()
{
    TraceBuilder trace(2);
    trace.withoutStepMarks();
    int number = 0;
    trace.steps(kSteps, [&](StepBuilder& step) {
        step.everyRank().hostIdle(1ms).compute(3ms);
        step.rank(1).compute(2ms);
        step.allReduce((number * 37 % 11 + 1) * 1_MiB, {.takes = 1ms});
        step.everyRank().compute((number * number % 5 + 1) * 1ms);
        ++number;
    });
    return trace;
}

TEST(Steps, OfAJobThatMarksNoneAreWhatAllRanksRecorded)
{
    TraceBuilder trace = jobWithoutSteps();
    trace::ProcessTrace& late = trace.process(1);
    const std::int64_t begin = late.kernels.startNs[2];
    late.windows = {{"light", late.kernels.startNs[0], begin, "outside of 2 s of every 62 s", 1},
                    {"standard", begin, std::nullopt, "", 1}};
    const report::Report report = report::buildReport(trace.run(), {});
    const Model& model = report.model;
    ASSERT_EQ(model.ranks[0].stepSource, StepSource::Recording);
    ASSERT_EQ(model.ranks[1].stepSource, StepSource::Recording);
    const auto windowOf = [&](std::size_t rank) {
        const Interval& device = *model.ranks[rank].steps.at(0).device;
        return std::pair(model.ranks[rank].clock.toRun(device.start),
                         model.ranks[rank].clock.toRun(device.end));
    };
    EXPECT_EQ(windowOf(0), windowOf(1));
    EXPECT_GE(windowOf(0).first, model.ranks[1].clock.toRun(begin));
    const metrics::RunMetrics& run = report.metrics;
    ASSERT_EQ(run.ranks.size(), 2U);
    EXPECT_TRUE(run.utilization && run.usefulUtilization && run.ratio && run.communicationShare);
    EXPECT_GT(run.usefulUtilization->spread, 0);
    EXPECT_FALSE(run.stepMedianNs);
    EXPECT_EQ(run.stepNs(), 1'000'000'000) << "costs are those of a second";
    const Interval& window = *model.ranks[0].steps[0].device;
    const metrics::Breakdown& total = run.ranks[0].total;
    EXPECT_EQ(total.stepNs, window.length());
    EXPECT_NEAR(static_cast<double>(run.ranks[0].ofAStep(total.computeNs)),
                1e9 * total.share(total.computeNs), 1e3);
}

TEST(Steps, OfRanksRecordedOneAfterTheOtherAreTheirOwnRecordings)
{
    TraceBuilder trace = jobWithoutSteps();
    trace::ProcessTrace& later = trace.process(1);
    for (trace::Column<std::int64_t>* column :
         {&later.kernels.startNs, &later.kernels.endNs, &later.launches.startNs, &later.launches.endNs}) {
        trace::Column<std::int64_t> shifted;
        for (const std::int64_t time : *column) {
            shifted.push_back(time + 10'000'000'000);
        }
        *column = std::move(shifted);
    }
    const Model model = buildModel(trace.run());
    ASSERT_EQ(model.ranks[0].stepSource, StepSource::Recording);
    EXPECT_LT(model.ranks[0].steps[0].host.end, model.ranks[1].steps[0].host.start);
    EXPECT_EQ(std::ranges::count(model.issues, "recordings_apart", &trace::IssueRow::id), 1);
}

TEST(Steps, OfAnotherToolsRecordingHoldWhatTheHostDidInIt)
{
    TraceBuilder trace(1);
    trace.withoutStepMarks().steps(
        1, [](StepBuilder& step) { step.everyRank().host(999ms, "aten::to").compute(1ms); });
    trace::RunTrace run = trace.run();
    EXPECT_GT(report::buildReport(run, {}).metrics.utilization->mean, 0.5);
    run.issues.push_back({trace::Issue::Imported, 1, "a file was imported"});
    EXPECT_LT(report::buildReport(run, {}).metrics.utilization->mean, 0.01);
}

TEST(Steps, OfWhichThereIsOneLastAsLongAsOnTheHost)
{
    TraceBuilder trace(1);
    trace.steps(1, [](StepBuilder& step) { step.everyRank().hostIdle(13s).compute(1ms).hostIdle(2s); });
    const Model model = buildModel(trace.run());
    ASSERT_EQ(model.ranks[0].steps.size(), 1U);
    const Step& step = model.ranks[0].steps[0];
    EXPECT_EQ(step.device->start, step.host.start);
    EXPECT_EQ(step.device->end, step.host.end);
}

TEST(Steps, OfWhichThereIsOneBeginWhereEarlierWorkEnds)
{
    TraceBuilder trace(1);
    trace.withoutStepEndSync().steps(
        2, [](StepBuilder& step) { step.everyRank().compute(50ms).hostIdle(10ms); });
    trace::ProcessTrace& process = trace.process(0);
    process.steps.erase(process.steps.begin());
    const Model model = buildModel(trace.run());
    ASSERT_EQ(model.ranks[0].steps.size(), 1U);
    EXPECT_EQ(model.ranks[0].steps[0].device->start, process.kernels.startNs[1])
        << "until then the device did what is of no step";
}

} // namespace
} // namespace ringside::model
