// SPDX-License-Identifier: Apache-2.0
// Decides whether two series of measurements differ, without assuming their distribution. Neighbouring steps
// are correlated (a warm cache, a noisy neighbour), so that the bootstrap resamples blocks, not single steps.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ringside::compare {

enum class Verdict : std::uint8_t { Better, Same, Worse, Inconclusive };

struct Summary {
    std::size_t count = 0;
    double median = 0;
    double mad = 0; ///< median absolute deviation from the median
    double mean = 0;
};

enum class Centre : std::uint8_t { Median, Mean };
[[nodiscard]] Summary summarize(std::span<const double> values);

/// Change of medians or means: new minus base, divided by a scale.
struct Change {
    double value = 0;
    double low = 0; ///< interval: of 95 %, unless another tail was asked for
    double high = 0;
};

/// The part of the drawn differences below the interval, and above it.
inline constexpr double kUsualTail = 0.025;

inline constexpr std::size_t kFewestValues = 5; ///< of each series; with fewer, their spread is unknown

/// Computes the difference of medians or means with a moving-block bootstrap (Kunsch 1989): blocks of
/// n^(1/3), percentile interval. The random numbers are fixed: the same runs give the same result. Neither
/// series may be empty; `scale` > 0.
[[nodiscard]] Change changeOf(std::span<const double> base, std::span<const double> now, double scale,
                              Centre centre = Centre::Median, double tail = kUsualTail);

/// Returns whether the means of two series differ by more than their values vary. For many series at a time:
/// of a thousand that do not differ, 1 to 5 were said to on simulated steps, and 4 to 10 where neighbours
/// correlate by 0.3. False with fewer than kFewestValues.
[[nodiscard]] bool differ(std::span<const double> base, std::span<const double> now);

/// Changes of at most `tolerance` (of the scale) count as equal. Worse or Better: the interval excludes 0 and
/// the change exceeds the tolerance. Same: the whole interval lies within the tolerance. Otherwise, and with
/// fewer than kFewestValues: Inconclusive.
[[nodiscard]] Verdict judge(const Change& change, std::size_t fewestValues, double tolerance,
                            bool smallerIsBetter);

/// Returns how many values of each series would make an inconclusive change conclusive if change and spread
/// stay the same: the interval shrinks with the square root. Null: more than is practical to record, because
/// the change is about as large as the tolerance.
[[nodiscard]] std::optional<std::size_t> stepsForVerdict(const Change& change, std::size_t fewestValues,
                                                         double tolerance);

} // namespace ringside::compare
