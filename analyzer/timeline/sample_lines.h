// SPDX-License-Identifier: Apache-2.0
// Sampled series as lines over run time (metrics/samples.h). Where nothing was measured there is a gap, never
// 0.
#pragma once
#include "model/model.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::timeline {

struct SampleStep {
    model::Interval time; ///< run time
    double value = 0;     ///< in the line's unit
};

struct SampleLine {
    std::optional<std::size_t> rank; ///< index into Model::ranks; null: belongs to a host
    std::size_t host = 0;            ///< index into Model::hosts
    std::string name;                ///< "SM clock", "eth0 sent"
    std::string unit;                ///< empty for a count
    std::vector<SampleStep> steps;   ///< by time; time between two steps was not measured. Never empty
    double most = 0;                 ///< largest value
    trace::SeriesSource source = {}; ///< as in table series
    trace::SeriesMetric metric = {};

    /// Returns null if the line was not measured at that time.
    [[nodiscard]] std::optional<double> at(std::int64_t timeNs) const;
};

/// The values within one pixel.
struct SampleColumn {
    double least = 0;
    double most = 0;
};
/// Returns one entry for each of `columns` equal parts of `range`; null: not measured.
[[nodiscard]] std::vector<std::optional<SampleColumn>> columnsOf(const SampleLine& line,
                                                                 const model::Interval& range, int columns);

/// Returns the largest value within a range; null: not measured.
[[nodiscard]] std::optional<double> mostIn(const SampleLine& line, const model::Interval& range);

/// Returns the lines by rank, then by host, each in the order of sample_lines.def.
[[nodiscard]] std::vector<SampleLine> sampleLines(const model::Model& model);

/// Returns for example "1410 MHz" or "0.52 GB/s".
[[nodiscard]] std::string valueText(double value, const std::string& unit);

} // namespace ringside::timeline
