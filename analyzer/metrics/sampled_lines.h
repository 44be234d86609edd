// SPDX-License-Identifier: Apache-2.0
// Turns samples into lines for a chart over run time: the values of gauges, and the gains of counters per
// second. Where nothing was sampled, the line has a gap; it is neither interpolated nor set to 0.
#pragma once
#include "metrics/metrics.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::metrics {

struct LinePoint {
    std::int64_t timeNs = 0;     ///< run time
    std::optional<double> value; ///< in the metric's unit; null: not measured since the previous point
};

struct SampledLine {
    std::string host;
    std::optional<std::size_t> rank; ///< index into Model::ranks; null if it belongs to no single rank
    std::string entity;              ///< such as gpu0, mlx5_0:1 or process
    std::vector<LinePoint> points;   ///< ordered by time; empty if it was not measured
    std::string missing;             ///< why values are missing; empty if no reason was recorded
};

struct SampledMetric {
    trace::SeriesSource source;
    trace::SeriesMetric metric;
    std::string unit; ///< of the lines, such as "GB/s" or "%"; empty for a plain number
    std::vector<SampledLine> lines;
    /// Returns a name for people, with source and unit.
    [[nodiscard]] std::string name() const;
    /// Whether any line has points.
    [[nodiscard]] bool isMeasured() const;
};

/// Returns all sampled metrics, grouped by source. Lines are ordered by host, rank and entity.
[[nodiscard]] std::vector<SampledMetric> sampledMetrics(const model::Model& model);
/// Whether the metric belongs to a link: an RDMA port, a network interface, NVLink or PCIe.
[[nodiscard]] bool isOfLink(const SampledMetric& metric);

/// Returns the time of each step on its slowest rank in ms, at the start of the step. Steps that were left
/// out are gaps.
[[nodiscard]] std::vector<LinePoint> stepTimeLine(const model::Model& model, const RunMetrics& metrics);

} // namespace ringside::metrics
