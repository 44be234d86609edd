// SPDX-License-Identifier: Apache-2.0
#include "busy_length.h"

#include <gtest/gtest.h>

#include <random>

namespace ringside::trainer {
namespace {

constexpr double kIterationMs = 0.004;
constexpr double kLaunchMs = 0.05;

double undisturbedMs(unsigned iterations)
{
    return kLaunchMs + kIterationMs * iterations;
}

TEST(BusyLength, LeavesTheLaunchOut)
{
    // 1000 iterations of 4 us and a launch of 1 ms.
    EXPECT_EQ(iterationsLasting(40, {1000, 5, 9}), 10'000U);
}

TEST(BusyLength, StaysNearWhatWasAskedForWhenAMeasurementWasDisturbed)
{
    for (const double twiceMs : {9.9, 5.0, 5.000001, 4.0, 0.0}) {
        EXPECT_LE(iterationsLasting(40, {1000, 5, twiceMs}), 16'000U) << twiceMs;
    }
}

TEST(BusyLength, IsNeverNothing)
{
    EXPECT_EQ(iterationsLasting(0.001, {1, 5, 10}), 1U);
}

TEST(BusyLength, IsMeasuredBesideProgramsThatTakeTheMachine)
{
    for (unsigned seed = 1; seed <= 100; ++seed) {
        std::mt19937 draws(seed);
        // Two of three runs wait for a time slice or two.
        const auto elapsedMs = [&](unsigned iterations) {
            const double lostMs = static_cast<double>(draws() % 9000) / 1000;
            return undisturbedMs(iterations) + (draws() % 3 == 0 ? 0 : lostMs);
        };
        const unsigned iterations = iterationsLasting(20, measureBusyLength(elapsedMs));
        EXPECT_NEAR(iterations * kIterationMs, 20, 2) << seed;
    }
}

TEST(BusyLength, MeasuresAContradictionAgain)
{
    // The first runs of the longer length are all disturbed: it seems to take four times as long.
    int disturbed = 20;
    unsigned longest = 0;
    const auto elapsedMs = [&](unsigned iterations) {
        longest = std::max(longest, iterations);
        const bool late = undisturbedMs(iterations) > 8 && disturbed-- > 0;
        return undisturbedMs(iterations) * (late ? 2 : 1);
    };
    EXPECT_NEAR(iterationsLasting(20, measureBusyLength(elapsedMs)) * kIterationMs, 20, 0.1);
    EXPECT_GE(undisturbedMs(longest), 8);
}

TEST(BusyLength, EndsWhenEveryRunIsDisturbed)
{
    std::size_t runs = 0;
    const auto elapsedMs = [&](unsigned) { return static_cast<double>(++runs % 7) + 5; };
    EXPECT_GE(iterationsLasting(20, measureBusyLength(elapsedMs)), 1U);
    EXPECT_LE(runs, 400U);
}

} // namespace
} // namespace ringside::trainer
