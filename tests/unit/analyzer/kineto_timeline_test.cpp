// SPDX-License-Identifier: Apache-2.0
// What traces of the PyTorch profiler add to a timeline: Python functions, and what the allocator held.
#include "document/cell.h"
#include "metrics/sampled_lines.h"
#include "model/build_model.h"
#include "support/durations.h"
#include "support/trace_builder.h"
#include "timeline/python_frames.h"
#include "timeline/range_statistics.h"
#include "timeline/search.h"

#include <gtest/gtest.h>

namespace ringside::timeline {
namespace {

using namespace std::chrono_literals;
using test::StepBuilder;
using test::TraceBuilder;

using ringside::test::kMillisecond;

TraceBuilder twoRanks()
{
    TraceBuilder builder(2);
    builder.steps(6, [](StepBuilder& step) { step.everyRank().host(200us, "data").compute(3ms); });
    return builder;
}

void addPython(TraceBuilder& builder, const std::string& name, std::int64_t start, std::int64_t end)
{
    trace::ProcessTrace& process = builder.process(0);
    process.pythonCalls.startNs.push_back(start);
    process.pythonCalls.endNs.push_back(end);
    process.pythonCalls.name.push_back(builder.text(0, name));
    process.pythonCalls.thread.push_back(static_cast<std::uint32_t>(process.ranges.front().thread));
}

std::optional<SpanId> firstOf(const Timeline& timeline, TrackKind track, SpanKind kind)
{
    for (std::size_t t = 0; t < timeline.tracks.size(); ++t) {
        for (std::size_t l = 0; l < timeline.lanesOf(t).size() && timeline.tracks[t].kind == track; ++l) {
            if (timeline.lanesOf(t)[l].span(0).kind == kind) {
                return SpanId{t, l, 0};
            }
        }
    }
    return std::nullopt;
}

std::vector<std::string> framesIn(const Description& description)
{
    std::vector<std::string> frames;
    bool inside = false;
    for (const auto& [what, value] : description.lines) {
        inside = what == "Python, innermost first" || (inside && what.empty());
        if (inside) {
            frames.push_back(value);
        }
    }
    return frames;
}

TEST(PythonFrames, StandWithCallsAndKernelsTheInnermostFirst)
{
    TraceBuilder builder = twoRanks();
    const trace::ProcessTrace& process = builder.process(0);
    const std::int64_t begin = process.ranges.front().startNs;
    const std::int64_t launch = process.launches.startNs[0];
    addPython(builder, "train.py(7): <module>", begin - 100, launch + 1'000'000'000);
    addPython(builder, "train.py(42): step", begin - 50, launch + 900'000'000);
    addPython(builder, "data.py(3): load", begin, begin + 10);
    addPython(builder, "nn.Module: Linear_0", launch, launch + 1);
    const model::Model model = model::buildModel(builder.run());
    const Timeline timeline = buildTimeline(model);
    const std::vector<std::string> outer{"train.py(42): step", "train.py(7): <module>"};

    const auto kernel = firstOf(timeline, TrackKind::Stream, SpanKind::Compute);
    ASSERT_TRUE(kernel);
    EXPECT_EQ(framesIn(describe(model, timeline, *kernel)),
              (std::vector{std::string("nn.Module: Linear_0"), outer[0], outer[1]}));
    const auto data = firstOf(timeline, TrackKind::Thread, SpanKind::Range);
    ASSERT_TRUE(data);
    EXPECT_EQ(framesIn(describe(model, timeline, *data)),
              (std::vector{std::string("data.py(3): load"), outer[0], outer[1]}));

    const auto function = firstOf(timeline, TrackKind::Python, SpanKind::PythonCall);
    ASSERT_TRUE(function);
    const Track& track = timeline.tracks[function->track];
    EXPECT_EQ(track.lanes.size(), 3U) << "they nest";
    EXPECT_EQ(nameOf(model, track, timeline.span(*function)), "train.py(7): <module>");
    EXPECT_EQ(search(model, timeline, {"linear", {}, {}}).count, 1U);
    const GroupRequest functions{SpanTable::PythonCalls, Grouping::Name, timeline.extent, {}};
    EXPECT_EQ(groupsOf(model, timeline, functions).size(), 4U);
    const GroupRequest calls{SpanTable::Calls, Grouping::Name, timeline.extent, {}};
    for (const SpanGroup& group : groupsOf(model, timeline, calls)) {
        EXPECT_EQ(group.name.find("train.py"), std::string::npos);
    }
}

TEST(PythonFrames, AreCutAndCountedWhereTheyAreMany)
{
    TraceBuilder builder = twoRanks();
    const std::int64_t launch = builder.process(0).launches.startNs[0];
    for (std::int64_t i = 0; i < 200; ++i) {
        addPython(builder, "f" + std::to_string(i), launch - 1000 + i, launch + 1'000'000 - i);
    }
    const model::Model model = model::buildModel(builder.run());
    const Timeline timeline = buildTimeline(model);
    const auto kernel = firstOf(timeline, TrackKind::Stream, SpanKind::Compute);
    const std::vector<std::string> frames = framesIn(describe(model, timeline, *kernel));
    EXPECT_EQ(frames.size(), 7U);
    EXPECT_EQ(frames.back(), "and 122 more that called it"); // of the 128 that have a lane
    const auto function = firstOf(timeline, TrackKind::Python, SpanKind::PythonCall);
    EXPECT_EQ(timeline.leftOutOf(function->track), 200 - 128);
}

TEST(PythonFrames, AreNoLinesWhereNoneWereRecorded)
{
    const model::Model model = model::buildModel(twoRanks().run());
    const Timeline timeline = buildTimeline(model);
    EXPECT_TRUE(framesIn(describe(model, timeline, *firstOf(timeline, TrackKind::Stream, SpanKind::Compute)))
                    .empty());
    EXPECT_FALSE(firstOf(timeline, TrackKind::Python, SpanKind::PythonCall));
}

/// The allocator of rank 0: 2 GB from 10 ms on, 5 GB from 12 ms on, 1 GB from 500 ms on, long after.
struct AllocatorRun {
    model::Model model;
    Timeline timeline;
    AllocatorRun()
    {
        TraceBuilder builder = twoRanks();
        for (const auto& [ms, gigabytes] : {std::pair(10, 2), std::pair(12, 5), std::pair(500, 1)}) {
            builder.sample(0, trace::seriesRow(trace::SeriesName::AllocatorAllocated, 0, "gpu0"),
                           begin() + ms * kMillisecond, gigabytes * 1'000'000'000LL);
        }
        trace::RunTrace run = builder.run();
        run.processes[0].process.endNs = begin() + 600 * kMillisecond;
        model = model::buildModel(std::move(run));
        timeline = buildTimeline(model);
    }
    static std::int64_t begin() { return twoRanks().process(0).process.startNs; }
    [[nodiscard]] std::int64_t at(std::int64_t ms) const
    {
        return model.ranks[0].clock.toRun(begin() + ms * kMillisecond);
    }
};

TEST(Allocator, HoldsItsValueUntilTheNextChange)
{
    const AllocatorRun run;
    ASSERT_EQ(run.timeline.samples.size(), 1U);
    const SampleLine& line = run.timeline.samples[0];
    EXPECT_EQ(line.rank, std::optional<std::size_t>(0));
    EXPECT_EQ(line.at(run.at(9)), std::nullopt) << "nobody knows what was held before the first change";
    EXPECT_EQ(line.at(run.at(11)), 2);
    EXPECT_EQ(line.at(run.at(499)), 5) << "however long";
    EXPECT_EQ(line.at(run.at(599)), 1) << "the last one until the recording ends";
    EXPECT_EQ(line.at(run.at(601)), std::nullopt);
    const std::vector<metrics::SampledMetric> all = metrics::sampledMetrics(run.model);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].name(), "allocator: allocated, GiB");
    ASSERT_EQ(all[0].lines.size(), 1U);
    EXPECT_EQ(all[0].lines[0].rank, std::optional<std::size_t>(0));
    for (const metrics::LinePoint& point : all[0].lines[0].points) {
        EXPECT_TRUE(point.value) << "no gaps";
    }
    EXPECT_EQ(all[0].lines[0].points.size(), 6U) << "level between changes: two points each";
}

TEST(Allocator, HasItsPeakInTheFiguresOfARange)
{
    const AllocatorRun run;
    const auto peakIn = [&](std::int64_t from, std::int64_t to) {
        return statisticsOf(run.model, run.timeline, {run.at(from), run.at(to)}).front().peakAllocatedBytes;
    };
    EXPECT_EQ(peakIn(0, 8), std::nullopt);
    EXPECT_DOUBLE_EQ(peakIn(9, 11).value_or(0), 2e9);
    EXPECT_DOUBLE_EQ(peakIn(9, 13).value_or(0), 5e9);
    EXPECT_DOUBLE_EQ(peakIn(510, 520).value_or(0), 1e9);
    const auto table = tableOf(run.model, statisticsOf(run.model, run.timeline, {run.at(9), run.at(13)}));
    EXPECT_EQ(table.header.back(), "peak of tensors");
    EXPECT_TRUE(table.rows[1].back().isAbsent()) << "rank 1 has no profile of its memory";
    const auto without = tableOf(run.model, statisticsOf(run.model, run.timeline, {run.at(0), run.at(8)}));
    EXPECT_EQ(without.header.back(), "device work recorded");
}

} // namespace
} // namespace ringside::timeline
