// SPDX-License-Identifier: Apache-2.0
// How many iterations of the busy kernel last a given time, measured on the device.
#pragma once
#include <algorithm>
#include <limits>

namespace ringside::trainer {

/// Times of a number of iterations and of twice as many, each with its launch.
struct BusyLength {
    unsigned iterations = 1;
    double ms = 0;
    double twiceMs = 0;

    /// A launch costs little beside what it starts. If not even that holds, one of the times was disturbed.
    [[nodiscard]] bool plausible() const
    {
        constexpr double kNoise = 0.05;
        const double slopeMs = twiceMs - ms;
        return slopeMs >= ms / 2 && slopeMs <= ms * (1 + kNoise);
    }
};

/// Returns the shortest of several times: whatever else runs on the machine only makes them longer. If it
/// disturbs two runs of three, all of them are disturbed in one case of 400.
template <class Elapsed>
[[nodiscard]] double shortestMs(const Elapsed& elapsedMs, unsigned iterations)
{
    constexpr int kRuns = 15;
    double shortest = elapsedMs(iterations);
    for (int run = 1; run < kRuns; ++run)
        shortest = std::min(shortest, elapsedMs(iterations));
    return shortest;
}

/// Measures with `elapsedMs(iterations)`. While the two times contradict each other they are measured again,
/// for about two seconds at most.
template <class Elapsed>
[[nodiscard]] BusyLength measureBusyLength(const Elapsed& elapsedMs)
{
    constexpr double kEnoughMs = 4;
    constexpr unsigned kMostIterations = 1U << 28;
    constexpr int kMostRounds = 10;
    BusyLength length;
    length.ms = shortestMs(elapsedMs, length.iterations);
    while (length.ms < kEnoughMs && length.iterations < kMostIterations) {
        length.iterations *= 2;
        length.ms = shortestMs(elapsedMs, length.iterations);
    }
    length.twiceMs = shortestMs(elapsedMs, length.iterations * 2);
    for (int round = 1; round < kMostRounds && !length.plausible(); ++round) {
        length.ms = std::min(length.ms, shortestMs(elapsedMs, length.iterations));
        length.twiceMs = std::min(length.twiceMs, shortestMs(elapsedMs, length.iterations * 2));
    }
    return length;
}

/// Returns the number of iterations that last `ms`. The slope excludes the launch. If a disturbed measurement
/// makes it small or negative, half of the first time is used instead, so that the result lasts at most twice
/// the wanted time.
[[nodiscard]] inline unsigned iterationsLasting(double ms, const BusyLength& length)
{
    const double slopeMs = std::max({length.twiceMs - length.ms, length.ms / 2, 1e-6});
    const double iterations = ms / slopeMs * length.iterations;
    return static_cast<unsigned>(
        std::clamp(iterations, 1.0, static_cast<double>(std::numeric_limits<unsigned>::max())));
}

} // namespace ringside::trainer
