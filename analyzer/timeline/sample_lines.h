// SPDX-License-Identifier: Apache-2.0
// What was sampled, as lines over run time. Between two samples a gauge holds; of a counter the gain between
// them is shown a second. Where nothing was measured there is a gap, never 0.
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
    std::optional<std::size_t> rank; ///< of Model::ranks; null: of a host
    std::size_t host = 0;            ///< of Model::hosts
    std::string name;                ///< "SM clock", "eth0 sent"
    std::string unit;                ///< may be empty: a count
    std::vector<SampleStep> steps;   ///< by time; what lies between two was not measured. Never empty
    double most = 0;                 ///< of all values

    /// Null: not measured then.
    [[nodiscard]] std::optional<double> at(std::int64_t timeNs) const;
};

/// The values of a stretch of time that is one pixel wide.
struct SampleColumn {
    double least = 0;
    double most = 0;
};
/// One for each of `columns` equal parts of `range`; null where nothing was measured.
[[nodiscard]] std::vector<std::optional<SampleColumn>> columnsOf(const SampleLine& line,
                                                                 const model::Interval& range, int columns);

/// By rank, then by host; of each in the order of sample_lines.def.
[[nodiscard]] std::vector<SampleLine> sampleLines(const model::Model& model);

/// "1410 MHz", "0.52 GB/s".
[[nodiscard]] std::string valueText(double value, const std::string& unit);

} // namespace ringside::timeline
