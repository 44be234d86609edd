// SPDX-License-Identifier: Apache-2.0
#include "export/stream_work.h"

#include <gtest/gtest.h>

namespace ringside::exporting {
namespace {

using Spans = std::vector<model::Interval>;

/// Kernels of one stream: what is shown of them, by lane.
std::vector<Spans> shown(const Spans& kernels)
{
    model::Model model;
    trace::ProcessTrace& process = model.trace.processes.emplace_back();
    for (const model::Interval& kernel : kernels) {
        process.kernels.startNs.push_back(kernel.start);
        process.kernels.endNs.push_back(kernel.end);
        process.kernels.device.push_back(0);
        process.kernels.stream.push_back(7);
    }
    std::vector<Spans> lanes;
    forEachDeviceWork(model, model.ranks.emplace_back(), [&](const ShownWork& work) {
        lanes.resize(std::max(lanes.size(), work.lane + 1));
        lanes[work.lane].push_back(work.time);
    });
    return lanes;
}

TEST(StreamWork, KeepsWhatFollowsEachOther)
{
    const Spans kernels = {{0, 10}, {10, 10}, {10, 20}, {25, 30}};
    EXPECT_EQ(shown(kernels), std::vector<Spans>{kernels});
}

TEST(StreamWork, MovesCrossingTimesApart)
{
    EXPECT_EQ(shown({{0, 5000}, {4998, 6000}, {5997, 5999}}),
              (std::vector<Spans>{{{0, 5000}, {5000, 6000}, {6000, 6000}}}));
}

TEST(StreamWork, PutsWhatOverlapsIntoFurtherLanes)
{
    EXPECT_EQ(shown({{0, 50'000}, {1000, 30'000}, {2000, 3000}, {31'000, 40'000}, {60'000, 70'000}}),
              (std::vector<Spans>{
                  {{0, 50'000}, {60'000, 70'000}}, {{1000, 30'000}, {31'000, 40'000}}, {{2000, 3000}}}));
}

TEST(StreamWork, BoundsTheLanes)
{
    const std::vector<Spans> lanes = shown(Spans(10'000, {0, 1'000'000}));
    EXPECT_EQ(lanes.size(), 65U);
    EXPECT_EQ(lanes.back().size(), 10'000U - 64U);
}

} // namespace
} // namespace ringside::exporting
