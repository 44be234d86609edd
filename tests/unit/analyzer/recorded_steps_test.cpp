// SPDX-License-Identifier: Apache-2.0
// Steps where recording began late, paused or ended early.
#include "model/build_model.h"
#include "model/model.h"
#include "model/steps.h"
#include "report/report.h"
#include "support/said.h"
#include "training_trace.h"

#include <gtest/gtest.h>

namespace ringside::model {
namespace {

TEST(Steps, FewerThanFourAreAnalyzedWhole)
{
    TraceBuilder trace(1);
    trace.steps(3, [](StepBuilder& step) { step.everyRank().compute(1ms); });
    const Model model = buildModel(trace.run());
    EXPECT_TRUE(model.analyzedWhole);
    EXPECT_EQ(model.analyzedSteps.size(), 3U);
}

/// What a recording window leaves: device work of some steps only.
void recordOnly(TraceBuilder& trace, int rank, std::int64_t first, std::int64_t last)
{
    trace::ProcessTrace& process = trace.process(rank);
    const auto begin = process.steps[static_cast<std::size_t>(first - 1)].startNs;
    const auto end = process.steps[static_cast<std::size_t>(last - 1)].endNs;
    trace::LaunchColumns kept;
    for (std::size_t i = 0; i < process.launches.size(); ++i) {
        if (process.launches.startNs[i] >= begin && process.launches.startNs[i] < end) {
            kept.startNs.push_back(process.launches.startNs[i]);
            kept.endNs.push_back(process.launches.endNs[i]);
            kept.api.push_back(process.launches.api[i]);
            kept.tid.push_back(process.launches.tid[i]);
            kept.correlation.push_back(process.launches.correlation[i]);
        }
    }
    process.launches = kept;
}

TEST(Steps, OutsideOfTheRecordingWindowAreCountedByReason)
{
    TraceBuilder trace = training();
    recordOnly(trace, 0, 3, 10);
    recordOnly(trace, 1, 2, 10);
    const Model model = buildModel(trace.run());
    EXPECT_EQ(model.stepCoverage.found, static_cast<std::size_t>(kSteps));
    EXPECT_EQ(model.stepCoverage.withoutDevice, 3U) << "1, 11, 12";
    EXPECT_EQ(model.stepCoverage.notEverywhere, 1U) << "2";
    EXPECT_EQ(model.stepCoverage.boundary, 2U) << "3 and 10";
    EXPECT_EQ(model.analyzedSteps, (std::vector<std::int64_t>{4, 5, 6, 7, 8, 9}));
}

TEST(Steps, AtAPauseOfTheRecordingAreItsEdgesToo)
{
    TraceBuilder trace = training();
    for (int rank = 0; rank < 2; ++rank) {
        trace::LaunchColumns& launches = trace.process(rank).launches;
        const trace::StepRow paused = trace.process(rank).steps[5];
        for (std::size_t i = 0; i < launches.size(); ++i) {
            if (launches.startNs[i] >= paused.startNs && launches.startNs[i] < paused.endNs) {
                launches.correlation.set(i, 4'000'000'000U); // the launch of no device work
            }
        }
    }
    const Model model = buildModel(trace.run());
    ASSERT_FALSE(model.ranks[0].steps[5].device);
    EXPECT_LE(model.ranks[0].steps[4].device->length(), 2 * model.ranks[0].steps[3].device->length())
        << "step 5 does not last through the pause";
    EXPECT_EQ(model.analyzedSteps, (std::vector<std::int64_t>{2, 3, 4, 8, 9, 10, 11}));
}

/// As if recording had been paused for the steps from `first` to `last`: no row, and the window says why.
void pause(TraceBuilder& trace, int rank, std::int64_t first, std::int64_t last)
{
    trace::ProcessTrace& process = trace.process(rank);
    const std::int64_t begin = process.steps[static_cast<std::size_t>(first - 1)].startNs;
    const std::int64_t end = process.steps[static_cast<std::size_t>(last - 1)].endNs;
    std::erase_if(process.steps,
                  [&](const auto& step) { return step.number >= first && step.number <= last; });
    std::erase_if(process.collectiveCalls,
                  [&](const auto& call) { return call.startNs >= begin && call.startNs < end; });
    for (std::size_t i = 0; i < process.launches.size(); ++i) {
        if (process.launches.startNs[i] >= begin && process.launches.startNs[i] < end) {
            process.launches.correlation.set(i, 4'000'000'000U); // the launch of no device work
        }
    }
    constexpr std::int64_t kLaterNs = 200; // the level changes a moment after the step has begun
    process.windows = {{"standard", process.process.startNs, begin + kLaterNs, ""},
                       {"paused", begin + kLaterNs, end + kLaterNs, "asked for while it ran"},
                       {"standard", end + kLaterNs, std::nullopt, ""}};
}

TEST(Steps, DoNotLastThroughAPause)
{
    TraceBuilder trace = training();
    for (int rank = 0; rank < 2; ++rank) {
        pause(trace, rank, 5, 8);
    }
    const Model model = buildModel(trace.run());
    const auto& steps = model.ranks[0].steps;
    ASSERT_EQ(steps.size(), static_cast<std::size_t>(kSteps - 4)) << "no step is lost beside the paused ones";
    EXPECT_TRUE(steps[3].pausedAfter);
    EXPECT_LE(steps[3].host.length(), 2 * steps[2].host.length());
    EXPECT_LE(steps[3].device->length(), 2 * steps[2].device->length());
    EXPECT_EQ(steps[4].number, 9);
    EXPECT_EQ(model.analyzedSteps, (std::vector<std::int64_t>{2, 3, 10, 11})) << "4 and 9 may be parts";
}

TEST(Steps, InWhichRecordingWasPausedAreLeftOut)
{
    TraceBuilder trace = training();
    trace::ProcessTrace& process = trace.process(0);
    const trace::StepRow& sixth = process.steps[5];
    const std::int64_t half = (sixth.startNs + sixth.endNs) / 2;
    process.windows = {{"paused", half, sixth.endNs, "the program called ringside_pause()"}};
    const Model model = buildModel(trace.run());
    const auto& steps = model.ranks[0].steps;
    ASSERT_EQ(steps.size(), static_cast<std::size_t>(kSteps - 1));
    EXPECT_EQ(steps[5].number, 7);
    EXPECT_TRUE(steps[4].pausedAfter);
}

TEST(Steps, OfThePeriodDoNotSpanAPause)
{
    TraceBuilder trace = training();
    for (int rank = 0; rank < 2; ++rank) {
        pause(trace, rank, 5, 8);
        trace.process(rank).steps.clear();
    }
    const Model model = buildModel(trace.run());
    EXPECT_EQ(model.ranks[0].stepSource, StepSource::Period);
    const auto& windows = trace.process(0).windows;
    for (const Step& step : model.ranks[0].steps) {
        EXPECT_TRUE(step.host.end <= windows[1].startNs + 1'000'000 ||
                    step.host.start >= *windows[1].endNs - 1'000'000)
            << step.number;
    }
}

TEST(Steps, WhoseMarksStartAgainEveryEpochAreCounted)
{
    TraceBuilder trace = training();
    for (int rank = 0; rank < 2; ++rank) {
        for (trace::StepRow& step : trace.process(rank).steps) {
            step.number = (step.number - 1) % 4;
        }
    }
    const Model model = buildModel(trace.run());
    EXPECT_EQ(model.ranks[0].steps.back().number, kSteps);
    EXPECT_EQ(model.analyzedSteps.size(), static_cast<std::size_t>(kSteps - 2));
}

} // namespace
} // namespace ringside::model
