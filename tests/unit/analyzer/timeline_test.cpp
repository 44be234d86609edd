// SPDX-License-Identifier: Apache-2.0
#include "metrics/compute_metrics.h"
#include "report/report.h"
#include "timeline/range_statistics.h"
#include "timeline_of_ranks.h"
#include "values/text.h"

#include <limits>
#include <map>
#include <random>

namespace ringside::timeline {
namespace {

TEST(Timeline, knowsThePartsThatARankHasInACollective)
{
    const Timeline timeline = buildTimeline(lateRankModel());
    ASSERT_FALSE(timeline.collectives.empty());
    for (const MatchedCollective& collective : timeline.collectives) {
        const std::span<const Part> last = timeline.partsOf(collective, collective.lastRank);
        ASSERT_EQ(last.size(), 1U);
        EXPECT_EQ(last.front().rank, collective.lastRank);
        EXPECT_EQ(last.front().time.start, collective.lastArrivalNs);
        EXPECT_TRUE(timeline.partsOf(collective, 99).empty());
    }
}

TEST(Strip, holdsThePartsOfTheTimeAsTheFiguresOfARangeDo)
{
    const model::Model model = lateRankModel();
    const Timeline timeline = buildTimeline(model);
    ASSERT_EQ(timeline.strips.size(), model.ranks.size());
    const auto ranks = statisticsOf(model, timeline, timeline.extent);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        for (const std::size_t columns : {1U, 100U, 1000U, 20'000U}) {
            ByKind<double> sum{};
            for (const ByKind<float>& each : timeline.strips[rank].coverage(timeline.extent, columns)) {
                for (std::size_t kind = 0; kind < kSpanKinds; ++kind) {
                    sum[kind] += static_cast<double>(each[kind]) / static_cast<double>(columns);
                }
            }
            const metrics::Breakdown& parts = *ranks[rank].device;
            const auto share = [&](SpanKind kind) { return sum[static_cast<std::size_t>(kind)]; };
            constexpr double kRounding = 0.01; // a cell has 8 bits
            EXPECT_NEAR(share(SpanKind::Compute), parts.share(parts.computeNs), kRounding) << columns;
            EXPECT_NEAR(share(SpanKind::Wait), parts.share(parts.exposedWaitNs), kRounding) << columns;
            EXPECT_NEAR(share(SpanKind::Transfer),
                        parts.share(parts.exposedCommunicationNs - parts.exposedWaitNs), kRounding);
        }
    }
    for (const ByKind<float>& each : timeline.strips[0].coverage({-500, -10}, 4)) {
        EXPECT_EQ(each, ByKind<float>{}); // before the run there is nothing
    }
    EXPECT_TRUE(Strip().empty());
    EXPECT_EQ(Strip().coverage({0, 10}, 3).size(), 3U);
}

TEST(Timeline, splitsCommunicationWhereTheLastRankCame)
{
    const model::Model model = lateRankModel();
    const Timeline timeline = buildTimeline(model);
    for (std::size_t rank = 0; rank < 4; ++rank) {
        const std::int64_t waited = timeIn(timeline, rank, SpanKind::Wait);
        if (rank == 2) {
            EXPECT_LT(waited, kMillisecond);
        } else {
            EXPECT_GT(waited, 8 * 4 * kMillisecond);
        }
        EXPECT_GT(timeIn(timeline, rank, SpanKind::Transfer), 7 * kMillisecond);
    }
}

TEST(Timeline, joinsCollectivesOfAllRanks)
{
    const model::Model model = lateRankModel();
    const Timeline timeline = buildTimeline(model);
    ASSERT_EQ(timeline.collectives.size(), 8U);
    for (const MatchedCollective& collective : timeline.collectives) {
        EXPECT_EQ(collective.lastRank, 2U);
        ASSERT_EQ(collective.parts, 4U);
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_EQ(timeline.parts[collective.firstPart + i].rank, i);
        }
    }
    const std::int64_t third = timeline.collectives[2].lastArrivalNs;
    EXPECT_EQ(timeline.nextCollective(third), 3U);
    EXPECT_EQ(timeline.previousCollective(third), 1U);
    EXPECT_EQ(timeline.collectivesIn(timeline.extent, 1).size(), 8U);
    EXPECT_EQ(timeline.collectivesIn(timeline.extent, timeline.extent.length() * 2).size(), 1U);
}

TEST(Timeline, leadsFromAKernelToItsLaunchAndItsCollective)
{
    const model::Model model = lateRankModel();
    const Timeline timeline = buildTimeline(model);
    const auto wait = firstOf(timeline, 0, SpanKind::Wait);
    ASSERT_TRUE(wait);
    EXPECT_EQ(collectiveOf(timeline, *wait), 0U);
    const auto launch = launchOf(model, timeline, *wait);
    ASSERT_TRUE(launch);
    EXPECT_EQ(timeline.span(*launch).kind, SpanKind::Launch);
    EXPECT_LE(timeline.span(*launch).time.start, timeline.span(*wait).time.start);
    const Description text = describe(model, timeline, *wait);
    const auto last =
        std::ranges::find(text.lines, "last arrival", &std::pair<std::string, std::string>::first);
    ASSERT_NE(last, text.lines.end());
    EXPECT_TRUE(last->second.starts_with("rank 2, ")) << last->second;
}

TEST(Timeline, describesHowAKernelWasLaunched)
{
    TraceBuilder builder(1);
    builder.steps(4, [](StepBuilder& step) { step.everyRank().compute(1ms); });
    trace::ProcessTrace& process = builder.process(0);
    process.launchConfigurations = {{1, 1, 512, 2, 1, 256, 1, 1, 64, 1024, 16384, 17408, std::nullopt},
                                    {2, 1, -1, 1, 1, std::numeric_limits<std::int64_t>::max(), 1, 1, 64,
                                     std::nullopt, std::nullopt, 0, 75}};
    std::uint32_t next = 0;
    process.kernels.configuration.transform([&](std::uint32_t) { return next++ % 4; });
    const model::Model model = model::buildModel(builder.run());
    const Timeline timeline = buildTimeline(model);
    const auto linesOf = [&](std::uint32_t configuration) {
        std::map<std::string, std::string> lines;
        const auto& ids = model.processOf(model.ranks[0]).kernels.configuration;
        const auto row = static_cast<std::size_t>(std::ranges::find(ids, configuration) - ids.begin());
        for (const Track& track : timeline.tracksOf(0)) {
            for (std::size_t i = 0; track.kind == TrackKind::Stream && i < track.lanes.at(0).size(); ++i) {
                if (track.lanes[0].span(i).row == row) {
                    const auto t = static_cast<std::size_t>(&track - timeline.tracks.data());
                    for (const auto& [what, value] : describe(model, timeline, {t, 0, i}).lines) {
                        lines[what] = value;
                    }
                }
            }
        }
        return lines;
    };
    auto lines = linesOf(1);
    EXPECT_EQ(lines["grid"], "512 x 2 x 1 blocks");
    EXPECT_EQ(lines["block"], "256 x 1 x 1 threads");
    EXPECT_EQ(lines["registers"], "64 per thread");
    EXPECT_EQ(lines["shared memory"], "17.0 KiB per block (1.0 KiB static, 16.0 KiB dynamic)");
    EXPECT_EQ(lines["blocks per multiprocessor"], "7.76 of the whole grid");
    EXPECT_EQ(lines["theoretical occupancy"],
              "50 % (32 of 64 warps per multiprocessor, limited by registers)");
    EXPECT_FALSE(lines.contains("estimated occupancy"));
    lines = linesOf(2);
    EXPECT_FALSE(lines.contains("grid")) << "values that no launch has";
    EXPECT_FALSE(lines.contains("block"));
    EXPECT_FALSE(lines.contains("theoretical occupancy"));
    EXPECT_EQ(lines["shared memory"], "0 B per block");
    EXPECT_EQ(lines["estimated occupancy"], "75 %, as the PyTorch profiler estimates it");
    for (const std::uint32_t unknown : {0U, 3U}) {
        lines = linesOf(unknown);
        EXPECT_TRUE(lines.contains("takes"));
        EXPECT_FALSE(lines.contains("grid"));
        EXPECT_FALSE(lines.contains("registers"));
    }
}

TEST(Timeline, nestsWhatRunsInsideAndCountsWhatIsTooDeep)
{
    TraceBuilder builder(1);
    builder.steps(4, [](StepBuilder& step) { step.everyRank().compute(1ms); });
    trace::ProcessTrace& process = builder.process(0);
    process.ranges.clear();
    const trace::StringId name = builder.text(0, "deep");
    constexpr std::int64_t kDepth = 40;
    for (std::int64_t i = 0; i < kDepth; ++i) {
        trace::RangeRow row;
        row.name = name;
        row.startNs = 10'000'000'000 + i;
        row.endNs = 11'000'000'000 - i;
        row.thread = 77; // not in table thread
        process.ranges.push_back(row);
    }
    const model::Model model = model::buildModel(builder.run());
    const Timeline timeline = buildTimeline(model);
    const auto track = std::ranges::find_if(
        timeline.tracks, [](const Track& each) { return each.id == 77 && each.kind == TrackKind::Thread; });
    ASSERT_NE(track, timeline.tracks.end());
    EXPECT_EQ(static_cast<std::int64_t>(track->spans()) + track->leftOut, kDepth);
    EXPECT_GT(track->leftOut, 0);
    EXPECT_EQ(track->lanes[1].size(), 1U);
}

TEST(Timeline, givesUpWhenCancelled)
{
    const model::Model model = lateRankModel();
    EXPECT_TRUE(buildTimeline(model, [] { return true; }).tracks.empty());
}

TEST(Timeline, showsWhatOnlyCudaEventsTimed)
{
    TraceBuilder builder(2);
    builder.withCudaEvents().steps(6, [](StepBuilder& step) {
        step.everyRank().compute(2ms);
        step.rank(1).compute(3ms);
        step.allReduce(4_MiB);
    });
    const model::Model model = model::buildModel(builder.run());
    const Timeline timeline = buildTimeline(model);
    EXPECT_EQ(timeline.collectives.size(), 6U);
    EXPECT_EQ(timeline.collectives[3].lastRank, 1U);
    EXPECT_GT(timeIn(timeline, 0, SpanKind::Wait), 10 * kMillisecond);
}

TEST(DurationText, choosesItsUnit)
{
    EXPECT_EQ(values::durationText(0), "0 ns");
    EXPECT_EQ(values::durationText(1500), "1.50 us");
    EXPECT_EQ(values::durationText(-2'500'000), "-2.500 ms");
    EXPECT_EQ(values::durationText(61'000'000'000), "61.0000 s");
}

} // namespace
} // namespace ringside::timeline
