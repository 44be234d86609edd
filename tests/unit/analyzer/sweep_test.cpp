// SPDX-License-Identifier: Apache-2.0
// The sweep against a reference that looks at every nanosecond, on random input.
#include "metrics/sweep.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace ringside::metrics {
namespace {

/// Streams with their intervals, and lanes that refer to them.
struct Input {
    std::vector<trace::Column<std::int64_t>> starts, ends;
    Lanes lanes;
};

Input randomInput(std::mt19937& random, std::int64_t length, std::int64_t shortest = 0)
{
    Input input;
    input.starts.reserve(16);
    input.ends.reserve(16);
    const auto draw = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    for (unsigned c = 0; c < kClasses; ++c) {
        for (std::int64_t stream = draw(0, 3); stream > 0; --stream) {
            auto& starts = input.starts.emplace_back();
            auto& ends = input.ends.emplace_back();
            for (std::int64_t time = draw(-20, 20); time < length; time += draw(0, 40)) {
                starts.push_back(time);
                ends.push_back(time + draw(shortest, 50)); // overlapping inside a stream, and empty ones
            }
            input.lanes[c].push_back({&starts, &ends, nullptr, {}, starts.size()});
        }
    }
    return input;
}

unsigned activeAt(const Input& input, std::int64_t time)
{
    unsigned active = 0;
    for (unsigned c = 0; c < kClasses; ++c) {
        for (const Lane& lane : input.lanes[c]) {
            for (std::size_t i = 0; i < lane.count; ++i) {
                active |= lane.start(i) <= time && time < lane.end(i) ? 1U << c : 0U;
            }
        }
    }
    return active;
}

TEST(Sweep, EqualsACountOfEveryNanosecondOnRandomInput)
{
    std::mt19937 random(20261121);
    for (int round = 0; round < 200; ++round) {
        const Input input = randomInput(random, 400);
        const std::vector<Interval> windows = {{-10, 90}, {90, 91}, {120, 300}, {300, 520}};
        std::vector<std::int64_t> found;
        const std::vector<Coverage> result = sweep(input.lanes, windows, [&](const Interval& gap) {
            for (std::int64_t time = gap.start; time < gap.end; ++time) {
                found.push_back(time);
            }
        });
        std::vector<std::int64_t> idle;
        for (std::size_t w = 0; w < windows.size(); ++w) {
            Coverage expected;
            for (std::int64_t time = windows[w].start; time < windows[w].end; ++time) {
                const unsigned active = activeAt(input, time);
                ++expected.ns[active];
                if (active == 0) {
                    idle.push_back(time);
                }
            }
            ASSERT_EQ(result[w].ns, expected.ns) << "round " << round << ", window " << w;
        }
        ASSERT_EQ(found, idle) << "round " << round;
    }
}

/// The collector's sweep, to which work comes in the order of its starts, one window at a time.
TEST(Sweep, OfWorkByItsStartsIsTheSame)
{
    std::mt19937 random(20261128);
    for (int round = 0; round < 200; ++round) {
        const Input input = randomInput(random, 400);
        std::vector<std::pair<Interval, Class>> work;
        for (unsigned c = 0; c < kClasses; ++c) {
            for (const Lane& lane : input.lanes[c]) {
                for (std::size_t i = 0; i < lane.count; ++i) {
                    work.emplace_back(lane.interval(i), static_cast<Class>(c));
                }
            }
        }
        std::ranges::stable_sort(work, {}, [](const auto& each) { return each.first.start; });
        const std::vector<Interval> windows = {{-10, 90}, {120, 300}};
        const std::vector<Coverage> expected = sweep(input.lanes, windows);
        for (std::size_t w = 0; w < windows.size(); ++w) {
            values::AscendingSweep ascending(windows[w]);
            for (const auto& [time, of] : work) {
                ascending.add(of, time);
            }
            EXPECT_EQ(ascending.finish().ns, expected[w].ns) << "round " << round << ", window " << w;
        }
    }
}

TEST(Sweep, PartsOfAWindowSumToIt)
{
    std::mt19937 random(7);
    for (int round = 0; round < 100; ++round) {
        const Input input = randomInput(random, 1000);
        const std::vector<Interval> windows = {{0, 1000}};
        const Coverage coverage = sweep(input.lanes, windows)[0];
        const unsigned c = bit(kCompute);
        const unsigned m = bit(kCommunication) | bit(kTransfer);
        const unsigned k = bit(kCopy);
        EXPECT_EQ(coverage.time(c) + coverage.time(m, c) + coverage.time(k, c | m) + coverage.ns[0], 1000);
    }
}

TEST(Sweep, ReadsRowsInTheOrderGiven)
{
    const trace::Column<std::int64_t> starts = {50, 10};
    const trace::Column<std::int64_t> ends = {60, 20};
    const std::vector<std::uint32_t> order = {1, 0};
    Lanes lanes;
    lanes[kCopy].push_back({&starts, &ends, nullptr, order, 2});
    const std::vector<Interval> windows = {{0, 100}};
    EXPECT_EQ(sweep(lanes, windows)[0].time(bit(kCopy)), 20);
}

/// As if each set were swept alone, and idle times as if the first were.
TEST(Sweep, OfSeveralSetsIsThatOfEach)
{
    std::mt19937 random(20261123);
    const auto randomWindows = [&random] {
        std::vector<Interval> windows;
        for (std::int64_t at = -30; at < 400;) {
            const std::int64_t start = at + std::uniform_int_distribution<std::int64_t>(0, 30)(random);
            at = start + std::uniform_int_distribution<std::int64_t>(0, 90)(random); // empty ones, too
            windows.push_back({start, at});
        }
        return windows;
    };
    for (int round = 0; round < 200; ++round) {
        // An empty work on a border of another set divides no idle time.
        const Input input = randomInput(random, 400, round % 2);
        const bool compareIdle = round % 2 == 1;
        const std::vector<std::vector<Interval>> sets{randomWindows(), randomWindows(), {}, randomWindows()};
        std::vector<std::pair<std::int64_t, std::int64_t>> idle;
        std::vector<std::pair<std::int64_t, std::int64_t>> idleAlone;
        const std::vector<std::span<const Interval>> spans(sets.begin(), sets.end());
        const auto swept = sweepTogether(input.lanes, spans,
                                         [&](const Interval& gap) { idle.emplace_back(gap.start, gap.end); });
        ASSERT_EQ(swept.size(), sets.size());
        for (std::size_t set = 0; set < sets.size(); ++set) {
            const auto alone = sweep(input.lanes, sets[set], [&](const Interval& gap) {
                if (set == 0) {
                    idleAlone.emplace_back(gap.start, gap.end);
                }
            });
            ASSERT_EQ(swept[set].size(), alone.size());
            for (std::size_t window = 0; window < alone.size(); ++window) {
                EXPECT_EQ(swept[set][window].ns, alone[window].ns) << round << " " << set << " " << window;
            }
        }
        if (compareIdle) {
            EXPECT_EQ(idle, idleAlone) << round;
        }
    }
}

} // namespace
} // namespace ringside::metrics
