// SPDX-License-Identifier: Apache-2.0
// Whether two series of measurements differ, without assuming how they are distributed. Steps that follow
// each other are alike (a warm cache, a noisy neighbour), so what is drawn again are blocks of them, not
// single ones.
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
};
[[nodiscard]] Summary summarize(std::span<const double> values);

/// Of medians: new minus base, in parts of a scale.
struct Change {
    double value = 0;
    double low = 0; ///< 95 % interval
    double high = 0;
};

inline constexpr std::size_t kFewestValues = 5; ///< of each series; fewer say nothing about their spread

/// Moving-block bootstrap (Kunsch 1989) of the difference of medians, blocks of n^(1/3), percentile interval.
/// The draw is always the same one: the same runs give the same answer. Neither series is empty, `scale` > 0.
[[nodiscard]] Change changeOf(std::span<const double> base, std::span<const double> now, double scale);

/// `tolerance` (of the scale) is what nobody minds. Worse or better: the interval excludes 0 and the change
/// is larger than that; same: the whole interval lies within it; else, and with fewer than kFewestValues,
/// inconclusive.
[[nodiscard]] Verdict judge(const Change& change, std::size_t fewestValues, double tolerance,
                            bool smallerIsBetter);

/// How many values of each series would make an inconclusive change conclusive if it stays as large and they
/// vary as much: its interval shrinks with the square root. Null: more than anybody records, as the change is
/// about as large as the tolerance.
[[nodiscard]] std::optional<std::size_t> stepsToTell(const Change& change, std::size_t fewestValues,
                                                     double tolerance);

} // namespace ringside::compare
