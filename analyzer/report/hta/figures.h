// SPDX-License-Identifier: Apache-2.0
// Arithmetic that HTA's tables share: unions of intervals, descriptions of samples, rounding.
#pragma once
#include "report/hta/csv_file.h"
#include "report/hta/frame.h"

#include <span>

namespace ringside::report::hta {

struct Span {
    double ts = 0.0;
    double end = 0.0;
};

/// Returns HTA's union: touching spans are joined. Rounding can make spans that end before they begin; they
/// are kept.
[[nodiscard]] std::vector<Span> merged(std::vector<Span> spans);
/// Returns the union of the kernels that `wanted` selects.
template <class Wanted>
[[nodiscard]] std::vector<Span> mergedKernels(const Frame& frame, const Wanted& wanted)
{
    std::vector<Span> spans;
    for (const Event& event : frame.events) {
        if (event.isKernel() && wanted(event)) {
            spans.push_back({event.ts, event.end()});
        }
    }
    return merged(std::move(spans));
}
[[nodiscard]] double lengthOf(const std::vector<Span>& spans);

/// The start (value) or end (-value) of a span.
struct Edge {
    double time = 0.0;
    int value = 0;
};
/// Appends the edges of `spans` and sorts all edges by time.
void addEdges(std::vector<Edge>& edges, const std::vector<Span>& spans, int value);

/// Statistics of a sample; NaN if it has too few values. The standard deviation is that of a sample (n - 1);
/// percentiles are interpolated.
struct Description {
    std::size_t count = 0;
    double sum = 0.0, mean = 0.0, deviation = 0.0, least = 0.0, quarter = 0.0, median = 0.0,
           threeQuarters = 0.0, most = 0.0;
};
[[nodiscard]] Description describe(std::vector<double> values);
/// Returns the sample standard deviation by Welford's recurrence, which has the same rounding as pandas'
/// groupby().std().
[[nodiscard]] double groupedDeviation(const std::vector<double>& values);
/// Writes count, mean, std, min, 25 %, 50 %, 75 %, max; all but the count after `round`.
template <class Round>
void writeDescription(CsvFile& file, const Description& figures, const Round& round)
{
    file.number(static_cast<double>(figures.count));
    for (const double value : {figures.mean, figures.deviation, figures.least, figures.quarter,
                               figures.median, figures.threeQuarters, figures.most}) {
        file.number(round(value));
    }
}

/// Rounds to `digits` decimals, halves to even, as numpy does.
[[nodiscard]] double rounded(double value, int digits);

} // namespace ringside::report::hta
