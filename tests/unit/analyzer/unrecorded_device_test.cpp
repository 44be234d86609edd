// SPDX-License-Identifier: Apache-2.0
// Times in which device work was not recorded: no figure counts them as idle.
#include "model/build_model.h"
#include "model/unrecorded_device.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

namespace ringside::model {
namespace {

using namespace test;

Model modelWith(std::vector<trace::WindowRow> windows)
{
    TraceBuilder trace(1);
    trace.steps(4, [](StepBuilder& step) { step.everyRank().compute(1ms); });
    trace.process(0).windows = std::move(windows);
    return buildModel(trace.run());
}

std::vector<std::int64_t> edgesOf(const std::vector<Interval>& parts)
{
    std::vector<std::int64_t> edges;
    for (const Interval& part : parts) {
        edges.push_back(part.start);
        edges.push_back(part.end);
    }
    return edges;
}

TEST(UnrecordedDevice, IsWhatLightLevelsAndPausesCover)
{
    const Model model = modelWith({{trace::LevelName("light"), 0, 100, "", {}},
                                   {trace::LevelName("standard"), 100, 300, "", {}},
                                   {trace::LevelName("light"), 300, std::nullopt, "", {}}});
    const Rank& rank = model.ranks.front();
    const auto run = [&](std::int64_t ns) { return rank.clock.toRun(ns); };
    const Interval range{run(50), run(1000)};
    EXPECT_EQ(edgesOf(unrecordedDevice(model, rank, range)),
              (std::vector{run(50), run(100), run(300), run(1000)}));
    EXPECT_EQ(edgesOf(recordedDevice(model, rank, range)), (std::vector{run(100), run(300)}));
    EXPECT_TRUE(recordedDevice(model, rank, {run(400), run(500)}).empty());
}

TEST(UnrecordedDevice, IsNothingWhereTheTraceDoesNotTell)
{
    const Model model = modelWith({});
    const Rank& rank = model.ranks.front();
    EXPECT_TRUE(unrecordedDevice(model, rank, {0, 1000}).empty());
    EXPECT_EQ(edgesOf(recordedDevice(model, rank, {0, 1000})), (std::vector<std::int64_t>{0, 1000}));
}

} // namespace
} // namespace ringside::model
