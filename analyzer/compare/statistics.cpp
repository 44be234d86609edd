// SPDX-License-Identifier: Apache-2.0
#include "compare/statistics.h"

#include "model/time.h"
#include "values/quantile.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace ringside::compare {
namespace {

constexpr std::size_t kDraws = 999;

double meanOf(std::span<const double> values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::size_t blockLength(std::size_t count)
{
    return static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(count))));
}

/// Draws a series as long as `values` from blocks of it with random starts.
void drawBlocks(std::span<const double> values, std::mt19937_64& random, std::vector<double>& drawn)
{
    const std::size_t length = blockLength(values.size());
    std::uniform_int_distribution<std::size_t> begin(0, values.size() - length);
    drawn.clear();
    while (drawn.size() < values.size()) {
        const auto block = values.subspan(begin(random), std::min(length, values.size() - drawn.size()));
        drawn.insert(drawn.end(), block.begin(), block.end());
    }
}

} // namespace

Summary summarize(std::span<const double> values)
{
    if (values.empty()) {
        return {};
    }
    std::vector<double> copy(values.begin(), values.end());
    const double median = values::median(copy);
    for (double& value : copy) {
        value = std::abs(value - median);
    }
    return {values.size(), median, values::median(copy), meanOf(values)};
}

Change changeOf(std::span<const double> base, std::span<const double> now, double scale, Centre centre,
                double tail)
{
    const auto centreOf = [centre](std::vector<double>& values) {
        return centre == Centre::Median ? values::median(values) : meanOf(values);
    };
    std::mt19937_64 random(1); // NOLINT(cert-msc*): repeatable on purpose
    std::vector<double> drawn;
    std::vector<double> differences;
    for (std::size_t i = 0; i < kDraws; ++i) {
        drawBlocks(base, random, drawn);
        const double before = centreOf(drawn);
        drawBlocks(now, random, drawn);
        differences.push_back((centreOf(drawn) - before) / scale);
    }
    std::vector<double> before(base.begin(), base.end());
    std::vector<double> after(now.begin(), now.end());
    return {(centreOf(after) - centreOf(before)) / scale, values::quantile(differences, tail),
            values::quantile(differences, 1 - tail)};
}

bool differ(std::span<const double> base, std::span<const double> now)
{
    constexpr double kTail = 0.001;
    constexpr double kNormal = 3.0902; // the normal distribution's quantile there
    if (std::min(base.size(), now.size()) < kFewestValues) {
        return false;
    }
    const Change change = changeOf(base, now, 1, Centre::Mean, kTail);
    // The interval is that of a normal distribution with a known spread. The spread of few blocks is less
    // than the true one, and itself uncertain: Student's t, expanded about the normal quantile (Abramowitz
    // and Stegun 26.7.5).
    const auto blocks = [](std::size_t count) { return double(count) / double(blockLength(count)); };
    const double freedom = blocks(base.size()) + blocks(now.size()) - 2;
    const double z = kNormal;
    const double student = z + (std::pow(z, 3) + z) / (4 * freedom) +
                           (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * freedom * freedom);
    const double wider = student / z * std::sqrt((freedom + 2) / freedom);
    return std::abs(change.value) >
           wider * (change.value > 0 ? change.value - change.low : change.high - change.value);
}

Verdict judge(const Change& change, std::size_t fewestValues, double tolerance, bool smallerIsBetter)
{
    if (fewestValues < kFewestValues) {
        return Verdict::Inconclusive;
    }
    if (change.low >= -tolerance && change.high <= tolerance) {
        return Verdict::Same;
    }
    if (change.low > 0 && change.value > tolerance) {
        return smallerIsBetter ? Verdict::Worse : Verdict::Better;
    }
    if (change.high < 0 && change.value < -tolerance) {
        return smallerIsBetter ? Verdict::Better : Verdict::Worse;
    }
    return Verdict::Inconclusive;
}

std::optional<std::size_t> stepsForVerdict(const Change& change, std::size_t fewestValues, double tolerance)
{
    constexpr double kMost = 100'000;
    const double size = std::abs(change.value);
    const double half = std::max(change.high - change.value, change.value - change.low);
    const double narrow = size > tolerance ? size : tolerance - size; // an interval that excludes 0 is open
    const double factor = half / narrow;
    const double steps = static_cast<double>(fewestValues) * factor * factor;
    if (!(steps < kMost)) {
        return std::nullopt;
    }
    const auto needed = static_cast<std::size_t>(std::ceil(steps)) + (size > tolerance ? 1U : 0U);
    return std::max(needed, fewestValues + 1);
}

} // namespace ringside::compare
