// SPDX-License-Identifier: Apache-2.0
// Growth from step to step, against what only looks like it.
#include "metrics/growth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace ringside::metrics {
namespace {

constexpr std::int64_t kStepNs = 100;

/// `valueAt` is asked at `samples` evenly spread moments of so many steps, counted in steps.
std::optional<double> growthOf(const std::function<double(double)>& valueAt, int steps = 45, int samples = 90)
{
    std::vector<model::Step> all;
    for (int i = 0; i < steps; ++i) {
        all.push_back({.number = i + 1, .host = {i * kStepNs, (i + 1) * kStepNs}, .device = {}});
    }
    std::vector<SampleValue> values;
    for (int i = 0; i < samples; ++i) {
        const std::int64_t time = i * kStepNs * steps / samples;
        values.push_back({time, std::llround(valueAt(static_cast<double>(time) / kStepNs))});
    }
    return growthPerStep(values, all);
}

TEST(Growth, isWhatEveryStepAdds)
{
    const auto found = growthOf([](double step) { return 5000 + 300 * std::floor(step); });
    ASSERT_TRUE(found);
    EXPECT_NEAR(*found, 300, 10);
}

TEST(Growth, isSeenUnderWhatAStepTakesAndGivesBack)
{
    const auto found = growthOf([](double step) { return 5000 * (step - std::floor(step)) + 400 * step; });
    ASSERT_TRUE(found);
    EXPECT_NEAR(*found, 400, 20);
}

TEST(Growth, isSeenWhereAnAllocatorTakesItInLargePieces)
{
    const auto found = growthOf([](double step) { return 20'000 * std::floor(step / 4); });
    ASSERT_TRUE(found);
    EXPECT_NEAR(*found, 5000, 1000);
}

TEST(Growth, isNotWarmUp)
{
    EXPECT_FALSE(growthOf([](double) { return 7000; })) << "nothing grows";
    EXPECT_FALSE(growthOf([](double step) { return 1000 * std::min(step, 14.0); })) << "the first third";
    EXPECT_FALSE(growthOf([](double step) { return 1000 * std::min(step, 35.0); })) << "it has ended";
    EXPECT_FALSE(growthOf([](double step) { return 1e6 * (1 - std::exp(-step / 10)); })) << "it slows down";
    EXPECT_FALSE(growthOf([](double step) { return 9000 - 10 * step; }));
}

TEST(Growth, isNotAPlateauHigherThanTheLast)
{
    for (const double first : {16.0, 22.0, 30.0}) {
        EXPECT_FALSE(growthOf([first](double step) {
            return 7000 + (step > first ? 2000 : 0) + (step > first + 9 ? 2000 : 0);
        })) << first;
    }
}

/// A caching allocator keeps what the largest batch so far has needed.
TEST(Growth, isNotWhatAllocatorsKeepOfBatchesOfAllSizes)
{
    int found = 0;
    for (unsigned seed = 0; seed < 2000; ++seed) {
        std::mt19937 draw(seed);
        double kept = 0;
        std::vector<double> uses;
        for (int step = 0; step < 45; ++step) {
            kept = std::max(kept, static_cast<double>(draw() % 1'000'000));
            uses.push_back(kept);
        }
        found +=
            growthOf([&](double step) { return uses[static_cast<std::size_t>(step)]; }).has_value() ? 1 : 0;
    }
    EXPECT_EQ(found, 0);
}

TEST(Growth, isSeenWhereSamplingBeganLate)
{
    std::vector<model::Step> steps;
    std::vector<SampleValue> samples;
    for (std::int64_t i = 0; i < 45; ++i) {
        steps.push_back({.number = i + 1, .host = {i * kStepNs, (i + 1) * kStepNs}, .device = {}});
        samples.push_back({i * kStepNs, i * 1000});
    }
    samples.erase(samples.begin(), samples.begin() + 12); // in the third of nine parts
    EXPECT_EQ(growthPerStep(samples, steps), std::optional(1000.0));
    samples.erase(samples.begin(), samples.begin() + 10);
    EXPECT_FALSE(growthPerStep(samples, steps));
}

TEST(Growth, isNotReportedFromTooFewValues)
{
    const auto grows = [](double step) { return 1000 * step; };
    EXPECT_FALSE(growthOf(grows, 17, 90)) << "too few steps";
    EXPECT_FALSE(growthOf(grows, 45, 9)) << "too few samples";
    EXPECT_TRUE(growthOf(grows, 18, 18));
    EXPECT_FALSE(growthPerStep({}, {}));
}

} // namespace
} // namespace ringside::metrics
