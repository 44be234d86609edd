// SPDX-License-Identifier: Apache-2.0
// The arithmetic that HTA's tables share: unions of intervals, descriptions of samples, rounding.
#pragma once
#include "report/hta/csv_file.h"
#include "report/hta/frame.h"

#include <span>

namespace ringside::report::hta {

struct Span {
    double ts = 0.0;
    double end = 0.0;
};

/// HTA's union: touching spans join. Rounding makes spans that end before they begin; they stay.
[[nodiscard]] std::vector<Span> merged(std::vector<Span> spans);
/// Of the kernels that `wanted` picks.
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

/// Where something begins (value) or ends (-value).
struct Edge {
    double time = 0.0;
    int value = 0;
};
/// Adds the edges of `spans` behind those there and sorts all by time.
void addEdges(std::vector<Edge>& edges, const std::vector<Span>& spans, int value);

/// Figures of a sample; NaN where it has too few values. The deviation is the sample's (n - 1), percentiles
/// are interpolated.
struct Description {
    std::size_t count = 0;
    double sum = 0.0, mean = 0.0, deviation = 0.0, least = 0.0, quarter = 0.0, median = 0.0,
           threeQuarters = 0.0, most = 0.0;
};
[[nodiscard]] Description describe(std::vector<double> values);
/// The sample's deviation by Welford's recurrence, whose rounding pandas' groupby().std() shares.
[[nodiscard]] double groupedDeviation(const std::vector<double>& values);
/// count, mean, std, min, 25 %, 50 %, 75 %, max; each through `round`.
template <class Round>
void writeDescription(CsvFile& file, const Description& figures, const Round& round)
{
    file.number(static_cast<double>(figures.count));
    for (const double value : {figures.mean, figures.deviation, figures.least, figures.quarter,
                               figures.median, figures.threeQuarters, figures.most}) {
        file.number(round(value));
    }
}

/// To `digits` decimals, halves to even, as numpy does it.
[[nodiscard]] double rounded(double value, int digits);

} // namespace ringside::report::hta
