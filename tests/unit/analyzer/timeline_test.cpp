// SPDX-License-Identifier: Apache-2.0
#include "metrics/compute_metrics.h"
#include "model/build_model.h"
#include "report/report.h"
#include "support/durations.h"
#include "support/parallel_job.h"
#include "support/trace_builder.h"
#include "timeline/coverage.h"
#include "timeline/range_statistics.h"
#include "timeline/timeline.h"
#include "values/text.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

namespace ringside::timeline {
namespace {

using namespace std::chrono_literals;
using test::operator""_MiB;
using test::StepBuilder;
using test::TraceBuilder;

using ringside::test::kMillisecond;

Lane randomLane(std::size_t spans)
{
    std::mt19937_64 random(1);
    Lane lane;
    std::int64_t time = -5000;
    for (std::size_t i = 0; i < spans; ++i) {
        const auto length = static_cast<std::int64_t>(random() % 300);
        lane.add({{time, time + length}, SpanKind::Compute, static_cast<std::uint32_t>(i)});
        time += length + static_cast<std::int64_t>(random() % 200);
    }
    lane.finish();
    return lane;
}

/// Four ranks; rank 2 computes 5 ms longer in every step.
model::Model lateRankModel()
{
    TraceBuilder builder(4);
    builder.steps(8, [](StepBuilder& step) {
        step.everyRank().host(200us, "data").compute(3ms, {.launches = 3});
        step.rank(2).compute(5ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return model::buildModel(builder.run());
}

std::int64_t timeIn(const Timeline& timeline, std::size_t rank, SpanKind kind)
{
    std::int64_t sum = 0;
    for (const Track& track : timeline.tracks) {
        for (const Lane& lane : track.lanes) {
            for (std::size_t i = 0; i < lane.size() && track.rank == rank; ++i) {
                sum += lane.span(i).kind == kind ? lane.span(i).time.length() : 0;
            }
        }
    }
    return sum;
}

std::optional<SpanId> firstOf(const Timeline& timeline, std::size_t rank, SpanKind kind)
{
    for (std::size_t t = 0; t < timeline.tracks.size(); ++t) {
        for (std::size_t l = 0; l < timeline.tracks[t].lanes.size(); ++l) {
            const Lane& lane = timeline.tracks[t].lanes[l];
            for (std::size_t i = 0; i < lane.size() && timeline.tracks[t].rank == rank; ++i) {
                if (lane.span(i).kind == kind) {
                    return SpanId{t, l, i};
                }
            }
        }
    }
    return std::nullopt;
}

TEST(Forest, findsTheLargestValueOfEveryStretch)
{
    std::mt19937 random(7);
    for (const std::size_t count : {1U, 15U, 16U, 17U, 255U, 256U, 257U, 5000U}) {
        std::vector<std::int64_t> values(count);
        std::ranges::generate(values, [&] { return static_cast<std::int64_t>(random() % 1000); });
        const auto valueOf = [&](std::size_t i) { return values[i]; };
        const Forest forest(count, valueOf);
        for (int i = 0; i < 300; ++i) {
            const std::size_t a = random() % count;
            const std::size_t b = a + 1 + random() % (count - a);
            const auto begin = values.begin();
            const std::int64_t expected = *std::max_element(begin + static_cast<std::ptrdiff_t>(a),
                                                            begin + static_cast<std::ptrdiff_t>(b));
            ASSERT_EQ(values[forest.largest(a, b, valueOf)], expected) << count << ' ' << a << ' ' << b;
        }
    }
}

/// Half of the spans in a hundredth of the time.
Lane unevenLane(std::size_t spans)
{
    Lane lane;
    for (std::size_t i = 0; i < spans; ++i) {
        const auto at = static_cast<std::int64_t>(i < spans / 2 ? i * 2000 : spans * 1000 + i * 20);
        lane.add({{at, at + static_cast<std::int64_t>(i % 17) + 1}, SpanKind::Copy, 0});
    }
    lane.finish();
    return lane;
}

/// Lengths and gaps to both sides of 4.3 s, which is what 32 bits of ns hold, in stretches of many spans.
std::vector<Interval> longAndShortTimes(std::size_t spans)
{
    std::mt19937_64 random(7);
    std::vector<Interval> times;
    std::int64_t time = -3'000'000'000;
    for (std::size_t i = 0; i < spans; ++i) {
        const bool isLong = i / 200 % 3 == 1 && random() % 50 == 0;
        const auto length =
            static_cast<std::int64_t>(isLong ? 4'294'967'290 + random() % 10 : random() % 9000);
        times.push_back({time, time + length});
        time += length + static_cast<std::int64_t>(isLong ? random() % 6'000'000'000 : random() % 2000);
    }
    return times;
}

Lane laneOf(const std::vector<Interval>& times)
{
    Lane lane;
    for (std::size_t i = 0; i < times.size(); ++i) {
        lane.add({times[i], i % 3 == 0 ? SpanKind::Copy : SpanKind::Compute, static_cast<std::uint32_t>(i)});
    }
    lane.finish();
    return lane;
}

TEST(Lane, givesTimesBackAsTheyWere)
{
    const std::vector<Interval> times = longAndShortTimes(5000);
    const Lane lane = laneOf(times);
    ASSERT_EQ(lane.size(), times.size());
    EXPECT_EQ(lane.extent(), (Interval{times.front().start, times.back().end}));
    for (std::size_t i = 0; i < times.size(); ++i) {
        ASSERT_EQ(lane.span(i).time, times[i]) << i;
        ASSERT_EQ(lane.span(i).row, i);
        ASSERT_EQ(lane.firstStartingFrom(times[i].start + 1),
                  std::ranges::upper_bound(times, times[i].start, {}, &Interval::start) - times.begin());
        ASSERT_EQ(lane.firstEndingAfter(times[i].end),
                  std::ranges::upper_bound(times, times[i].end, {}, &Interval::end) - times.begin());
    }
}

TEST(Lane, takesSixteenBytesASpanWithAllThatIsBuiltUponIt)
{
    constexpr std::size_t kSpans = 100'000;
    EXPECT_LE(randomLane(kSpans).memoryBytes(), 16 * kSpans);
}

/// Bars as a loop over all spans makes them.
std::vector<Bar> plainBars(const Lane& lane, std::int64_t resolution)
{
    std::vector<Bar> result;
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
        const Span span = lane.span(i);
        const auto bucket = [resolution](std::int64_t time) {
            return time >= 0 ? time / resolution : (time + 1) / resolution - 1;
        };
        if (result.empty() || bucket(result.back().time.start) != bucket(span.time.start)) {
            result.push_back({span.time, span.time.length(), i, i, 1, span.kind});
            continue;
        }
        Bar& bar = result.back();
        ++bar.count;
        bar.time.end = span.time.end;
        bar.longestNs = std::max(bar.longestNs, span.time.length());
    }
    return result;
}

TEST(Lane, mergesTheSameBarsFromLevelsAsFromSpans)
{
    for (const Lane& lane : {randomLane(40'000), unevenLane(40'000), laneOf(longAndShortTimes(40'000))}) {
        for (int shift = 0; shift < 40; ++shift) {
            const std::int64_t resolution = std::int64_t{1} << shift;
            const std::vector<Bar> expected = plainBars(lane, resolution);
            const std::vector<Bar> bars = lane.bars(lane.extent(), resolution);
            ASSERT_EQ(bars.size(), expected.size()) << resolution;
            for (std::size_t i = 0; i < bars.size(); ++i) {
                ASSERT_EQ(bars[i].time, expected[i].time);
                ASSERT_EQ(bars[i].first, expected[i].first);
                ASSERT_EQ(bars[i].count, expected[i].count);
                ASSERT_EQ(bars[i].longestNs, expected[i].longestNs);
                ASSERT_EQ(lane.span(bars[i].longest).time.length(), bars[i].longestNs);
                ASSERT_EQ(lane.span(bars[i].longest).kind, bars[i].kind);
            }
        }
    }
}

TEST(Lane, showsEverySpanOnceAndNoMoreThanOneBarAPixel)
{
    const Lane lane = randomLane(3000);
    const Interval all = lane.extent();
    for (const std::int64_t resolution : {1, 8, 512, 131'072}) {
        std::size_t next = 0;
        for (const Bar& bar : lane.bars(all, resolution)) {
            ASSERT_EQ(bar.first, next);
            next += bar.count;
            ASSERT_EQ(bar.time.start, lane.span(bar.first).time.start);
            ASSERT_EQ(bar.time.end, lane.span(next - 1).time.end);
            for (std::size_t i = bar.first; i < next; ++i) {
                ASSERT_LE(lane.span(i).time.length(), lane.span(bar.longest).time.length());
            }
        }
        EXPECT_EQ(next, lane.size());
        EXPECT_LE(static_cast<std::int64_t>(lane.bars(all, resolution).size()),
                  all.length() / resolution + 2);
    }
}

TEST(Lane, keepsItsBarsWhenPannedByWholePixels)
{
    const Lane lane = randomLane(3000);
    const std::vector<Bar> before = lane.bars({0, 100'000}, 500);
    const std::vector<Bar> after = lane.bars({20'000, 120'000}, 500);
    const auto first = std::ranges::find(before, after[1].first, &Bar::first);
    ASSERT_NE(first, before.end());
    EXPECT_TRUE(std::equal(first, before.end(), after.begin() + 1,
                           [](const Bar& a, const Bar& b) { return a.time == b.time; }));
}

/// Kinds change, and gaps are much longer than spans.
Lane mixedLane(std::size_t spans)
{
    std::mt19937_64 random(3);
    Lane lane;
    std::int64_t time = 100;
    for (std::size_t i = 0; i < spans; ++i) {
        const auto length = static_cast<std::int64_t>(random() % (i % 97 == 0 ? 40'000 : 60));
        constexpr std::array kKinds{SpanKind::Compute, SpanKind::Compute, SpanKind::Wait, SpanKind::Copy};
        lane.add({{time, time + length}, kKinds[random() % kKinds.size()], 0});
        time += length + static_cast<std::int64_t>(random() % 3000);
    }
    lane.finish();
    return lane;
}

ByKind<std::int64_t> plainTimes(const Lane& lane, const Interval& range)
{
    ByKind<std::int64_t> times{};
    for (std::size_t i = 0; i < lane.size(); ++i) {
        const Span span = lane.span(i);
        times[static_cast<std::size_t>(span.kind)] += model::overlapLength(span.time, range);
    }
    return times;
}

TEST(Lane, addsUpTheTimesOfAnyStretchOfSpans)
{
    const Lane lane = mixedLane(5000);
    std::mt19937 random(11);
    for (int i = 0; i < 500; ++i) {
        const std::size_t first = random() % lane.size();
        const std::size_t last = first + 1 + random() % (lane.size() - first);
        ByKind<std::int64_t> expected{};
        for (std::size_t at = first; at < last; ++at) {
            expected[static_cast<std::size_t>(lane.span(at).kind)] += lane.span(at).time.length();
        }
        ASSERT_EQ(lane.timeOf(first, last), expected) << first << ' ' << last;
    }
}

TEST(Coverage, isTheTimeThatSpansReallyTakeAtEveryResolution)
{
    const Lane lane = mixedLane(20'000);
    for (const std::size_t columns : {7U, 400U, 1600U, 40'000U}) {
        const Interval range{lane.extent().start - 1000, lane.extent().end + 1000};
        const std::int64_t columnNs = range.length() / static_cast<std::int64_t>(columns);
        const auto shares = coverageOf(lane, lane.bars(range, columnNs), range, columns);
        ASSERT_EQ(shares.size(), columns);
        const ByKind<std::int64_t> expected = plainTimes(lane, range);
        for (std::size_t kind = 0; kind < kSpanKinds; ++kind) {
            double sum = 0;
            for (const ByKind<float>& each : shares) {
                ASSERT_GE(each[kind], 0);
                ASSERT_LE(each[kind], 1);
                sum += static_cast<double>(each[kind]);
            }
            const double ns = sum * static_cast<double>(range.length()) / static_cast<double>(columns);
            EXPECT_NEAR(ns, static_cast<double>(expected[kind]), 1e-3 * static_cast<double>(expected[kind]))
                << columns;
        }
        const std::size_t middle = columns / 2; // one column alone, by the spans in it
        const double width = static_cast<double>(range.length()) / static_cast<double>(columns);
        const auto at = [&](std::size_t column) {
            return range.start + std::llround(static_cast<double>(column) * width);
        };
        const ByKind<std::int64_t> own = plainTimes(lane, {at(middle), at(middle + 1)});
        constexpr auto kCompute = static_cast<std::size_t>(SpanKind::Compute);
        if (columns <= 400) { // else single spans decide
            EXPECT_NEAR(static_cast<double>(shares[middle][kCompute]) * width,
                        static_cast<double>(own[kCompute]), 0.1 * width);
        }
    }
}

TEST(Coverage, ofNothingAndOfHostileTimesIsNothingBad)
{
    EXPECT_TRUE(coverageOf(Lane(), {}, {0, 10}, 0).empty());
    EXPECT_EQ(coverageOf(Lane(), {}, {5, 5}, 3).size(), 3U);
    Lane lane;
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;
    lane.add({{-kFar, kFar}, SpanKind::Copy, 0});
    lane.finish();
    const auto shares = coverageOf(lane, lane.bars({0, 100}, 1), {0, 100}, 10);
    for (const ByKind<float>& each : shares) {
        EXPECT_FLOAT_EQ(each[static_cast<std::size_t>(SpanKind::Copy)], 1);
    }
}

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

TEST(Lane, answersForHostileTimesAndNothing)
{
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    Lane lane;
    lane.finish();
    EXPECT_TRUE(lane.bars({0, kMost}, 1).empty());
    EXPECT_FALSE(lane.at(0));
    Lane last;
    last.add({{kMost - 1, kMost}, SpanKind::Copy, 0});
    last.finish();
    EXPECT_EQ(last.bars({0, kMost}, 1000).size(), 1U);
}

TEST(Lane, findsTheSpanUnderAMomentOrTheNearestOne)
{
    Lane lane;
    lane.add({{100, 200}, SpanKind::Compute, 0});
    lane.add({{300, 400}, SpanKind::Compute, 1});
    lane.finish();
    EXPECT_EQ(lane.at(150), 0U);
    EXPECT_EQ(lane.at(200), std::nullopt); // ends are not inside
    EXPECT_EQ(lane.at(210, 20), 0U);
    EXPECT_EQ(lane.at(290, 20), 1U);
    EXPECT_EQ(lane.at(250, 20), std::nullopt);
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

TEST(RangeStatistics, ofAStepAreThatStepsFigures)
{
    TraceBuilder builder(2);
    builder.steps(10, [](StepBuilder& step) {
        step.everyRank().copy(1_MiB, 300us).compute(3ms, {.launches = 3}).hostIdle(1ms);
        step.rank(1).compute(2ms);
        step.allReduce(4_MiB, {.takes = 1ms, .overlapped = true});
        step.everyRank().compute(700us).waitForCommunication();
    });
    const report::Report report = report::buildReport(builder.run(), {});
    const Timeline timeline = buildTimeline(report.model);
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        const model::ClockMap& clock = report.model.ranks[rank.rank].clock;
        ASSERT_FALSE(rank.windows.empty());
        for (std::size_t i = 0; i < rank.windows.size(); ++i) {
            const Interval range{clock.toRun(rank.windows[i].start), clock.toRun(rank.windows[i].end)};
            const auto ranks = statisticsOf(report.model, timeline, range);
            ASSERT_EQ(ranks.size(), 2U);
            const metrics::Breakdown& device = ranks[rank.rank].device.value();
            const metrics::Breakdown& step = rank.steps[i];
            EXPECT_EQ(device.stepNs, step.stepNs);
            EXPECT_EQ(device.computeNs, step.computeNs);
            EXPECT_EQ(device.communicationNs, step.communicationNs);
            EXPECT_EQ(device.exposedCommunicationNs, step.exposedCommunicationNs);
            EXPECT_EQ(device.exposedWaitNs, step.exposedWaitNs);
            EXPECT_EQ(device.exposedCopyNs, step.exposedCopyNs);
            EXPECT_EQ(device.idleNs, step.idleNs);
        }
    }
}

TEST(RangeStatistics, countsOnlyWhatIsInside)
{
    const model::Model model = lateRankModel();
    const Timeline timeline = buildTimeline(model);
    const auto kernel = firstOf(timeline, 0, SpanKind::Compute);
    ASSERT_TRUE(kernel);
    const Interval time = timeline.span(*kernel).time;
    const std::int64_t quarter = time.length() / 4;
    const auto inside = statisticsOf(model, timeline, {time.start + quarter, time.end - quarter});
    EXPECT_EQ(inside[0].device->computeNs, time.length() - 2 * quarter);
    EXPECT_EQ(inside[0].device->idleNs, 0);
    const auto whole = statisticsOf(model, timeline, timeline.extent);
    EXPECT_EQ(whole[2].lastArrivals, 8);
    EXPECT_EQ(whole[0].lastArrivals, 0);
    EXPECT_EQ(tableOf(model, whole).rows.size(), 4U);
}

TEST(RangeStatistics, divideMessagesIntoWaitAndTransferAsAReportDoes)
{
    const model::Model model = model::buildModel(test::playParallelJob({.stages = 4}, {}).run());
    const metrics::RunMetrics run = metrics::computeMetrics(model);
    const Timeline timeline = buildTimeline(model);
    ASSERT_FALSE(run.ranks.empty());
    for (const metrics::RankMetrics& rank : run.ranks) {
        const model::ClockMap& clock = model.ranks[rank.rank].clock;
        for (std::size_t step = 0; step < rank.steps.size(); ++step) {
            const Interval window{clock.toRun(rank.windows[step].start), clock.toRun(rank.windows[step].end)};
            const auto device = statisticsOf(model, timeline, window)[rank.rank].device;
            ASSERT_TRUE(device);
            EXPECT_NEAR(static_cast<double>(device->waitNs), static_cast<double>(rank.steps[step].waitNs),
                        10);
            EXPECT_NEAR(static_cast<double>(device->idleNs), static_cast<double>(rank.steps[step].idleNs),
                        10);
        }
        EXPECT_GT(rank.total.waitNs, 0) << "stages wait for messages of others";
    }
}

TEST(RangeStatistics, reportsWhatWasNotMeasured)
{
    TraceBuilder builder(1);
    builder.withoutDeviceTier("no CUPTI here").steps(6, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
    });
    const model::Model model = model::buildModel(builder.run());
    const Timeline timeline = buildTimeline(model);
    const auto ranks = statisticsOf(model, timeline, timeline.extent);
    EXPECT_FALSE(ranks[0].device);
    EXPECT_FALSE(ranks[0].lastArrivals);
    const document::Cell unknown = tableOf(model, ranks).rows[0][1];
    EXPECT_TRUE(unknown.isAbsent());
    EXPECT_EQ(unknown.reason(), "not measured");
}

TEST(SampleLines, holdGaugesAndShowWhatCountersGain)
{
    TraceBuilder builder(1);
    builder.steps(4, [](StepBuilder& step) { step.everyRank().compute(1ms); });
    const trace::SeriesRow clock{0, "nvml", "gpu0", "sm_clock_mhz", "gauge", 0};
    const trace::SeriesRow bytes{0, "network", "eth0", "rx_bytes", "counter", 0};
    const std::int64_t begin = builder.process(0).process.startNs;
    const std::pair<std::int64_t, std::int64_t> gauge[] = {
        {0, 1000}, {1, 1400}, {2, 0}, {3, 1400}, {40, 900}};
    for (const auto& [time, value] : gauge) { // a gap of 37 times its period
        builder.sample(0, clock, begin + time * kMillisecond, value);
    }
    for (const std::int64_t time : {0, 10, 20}) {
        builder.sample(0, bytes, begin + time * kMillisecond, time * 5'000'000);
    }
    const model::Model model = model::buildModel(builder.run());
    const std::vector<SampleLine> lines = sampleLines(model);
    ASSERT_EQ(lines.size(), 2U);
    const SampleLine& line = lines[0];
    const std::int64_t zero = model.ranks[0].clock.toRun(begin);
    EXPECT_EQ(line.rank, 0U);
    EXPECT_EQ(line.name, "SM clock");
    EXPECT_EQ(line.unit, "MHz");
    EXPECT_EQ(line.most, 1400);
    EXPECT_EQ(line.at(zero - 1), std::nullopt);
    EXPECT_EQ(line.at(zero + kMillisecond / 2), 1000);
    EXPECT_EQ(line.at(zero + 5 * kMillisecond / 2), 0); // measured, and 0
    EXPECT_EQ(line.at(zero + 20 * kMillisecond), std::nullopt);
    EXPECT_EQ(line.at(zero + 40 * kMillisecond), 900);
    EXPECT_EQ(lines[1].rank, std::nullopt);
    EXPECT_EQ(lines[1].name, "eth0 received");
    EXPECT_EQ(lines[1].at(zero + 15 * kMillisecond), 5000.0); // 50 MB in 10 ms

    const auto columns = columnsOf(line, {zero, zero + 40 * kMillisecond}, 40);
    EXPECT_EQ(columns[0]->most, 1000);
    EXPECT_EQ(columns[2]->most, 0);
    EXPECT_FALSE(columns[20]);
    const auto two = columnsOf(line, {zero, zero + 8 * kMillisecond}, 2);
    EXPECT_EQ(two[0]->least, 0);
    EXPECT_EQ(two[0]->most, 1400);
    EXPECT_FALSE(two[1]);
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
