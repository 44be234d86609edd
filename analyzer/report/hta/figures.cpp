// SPDX-License-Identifier: Apache-2.0
#include "report/hta/figures.h"

#include "report/hta/numpy_order.h"
#include "values/quantile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace ringside::report::hta {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Adds as numpy does (pairwise summation): eight partial sums, in blocks of at most 128 values.
double pairwiseSum(std::span<const double> values)
{
    constexpr std::size_t kLanes = 8;
    constexpr std::size_t kBlock = 128;
    const std::size_t count = values.size();
    if (count > kBlock) {
        const std::size_t half = count / 2 / kLanes * kLanes;
        return pairwiseSum(values.first(half)) + pairwiseSum(values.subspan(half));
    }
    if (count < kLanes) {
        return std::accumulate(values.begin(), values.end(), 0.0);
    }
    std::array<double, kLanes> sums{};
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            sums[lane] += values[i + lane];
        }
    }
    const double all =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(i), values.end(), all);
}

/// Computed in two passes, each summed in order, as pandas' describe() does.
double deviation(const std::vector<double>& values, double mean)
{
    const double squares =
        std::accumulate(values.begin(), values.end(), 0.0,
                        [mean](double sum, double value) { return sum + (mean - value) * (mean - value); });
    return values.size() > 1 ? std::sqrt(squares / static_cast<double>(values.size() - 1)) : kNone;
}

} // namespace

std::vector<Span> merged(std::vector<Span> spans)
{
    sortAsNumpy(spans, [](const Span& span) { return span.ts; });
    std::vector<Span> unions;
    double reached = 0.0;
    for (const Span& span : spans) {
        if (unions.empty() || span.ts > reached) {
            reached = unions.empty() ? span.end : std::max(reached, span.end);
            unions.push_back(span);
            continue;
        }
        unions.back().end = std::max(unions.back().end, span.end);
        reached = std::max(reached, span.end);
    }
    return unions;
}

double lengthOf(const std::vector<Span>& spans)
{
    return std::accumulate(spans.begin(), spans.end(), 0.0,
                           [](double sum, const Span& span) { return sum + (span.end - span.ts); });
}

void addEdges(std::vector<Edge>& edges, const std::vector<Span>& spans, int value)
{
    std::ranges::transform(spans, std::back_inserter(edges), [value](const Span& span) {
        return Edge{span.ts, value};
    });
    std::ranges::transform(spans, std::back_inserter(edges), [value](const Span& span) {
        return Edge{span.end, -value};
    });
    sortAsNumpy(edges, [](const Edge& edge) { return edge.time; });
}

Description describe(std::vector<double> values)
{
    if (values.empty()) {
        return {0, 0.0, kNone, kNone, kNone, kNone, kNone, kNone, kNone};
    }
    Description figures;
    figures.count = values.size();
    figures.sum = std::accumulate(values.begin(), values.end(), 0.0);
    figures.mean = pairwiseSum(values) / static_cast<double>(values.size());
    figures.deviation = deviation(values, figures.sum / static_cast<double>(values.size()));
    std::ranges::sort(values);
    figures.least = values.front();
    figures.quarter = values::interpolatedQuantile(values, 0.25);
    figures.median = values::interpolatedQuantile(values, 0.5);
    figures.threeQuarters = values::interpolatedQuantile(values, 0.75);
    figures.most = values.back();
    return figures;
}

double groupedDeviation(const std::vector<double>& values)
{
    double mean = 0.0;
    double squares = 0.0;
    double count = 0.0;
    for (const double value : values) {
        count += 1.0;
        const double before = value - mean;
        mean += before / count;
        squares += before * (value - mean);
    }
    return count > 1.0 ? std::sqrt(squares / (count - 1.0)) : kNone;
}

double rounded(double value, int digits)
{
    const double scale = std::pow(10.0, digits);
    return std::nearbyint(value * scale) / scale;
}

} // namespace ringside::report::hta
