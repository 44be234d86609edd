// SPDX-License-Identifier: Apache-2.0
#include "timeline/coverage.h"
#include "timeline/timeline.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

namespace ringside::timeline {
namespace {

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

} // namespace
} // namespace ringside::timeline
