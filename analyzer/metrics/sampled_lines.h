// SPDX-License-Identifier: Apache-2.0
// What was sampled, over run time, as lines for a chart: a gauge's values, what a counter gained in a second.
// Where nothing was sampled a line has a gap; it is never drawn through, and never 0.
#pragma once
#include "metrics/metrics.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::metrics {

struct LinePoint {
    std::int64_t timeNs = 0;     ///< run time
    std::optional<double> value; ///< in the metric's unit; null: not measured from the point before on
};

struct SampledLine {
    std::string host;
    std::optional<std::size_t> rank; ///< of Model::ranks; null: of the host, or of a process with several
    std::string entity;              ///< gpu0, mlx5_0:1, process ...
    std::vector<LinePoint> points;   ///< by time; empty: not measured
    std::string missing;             ///< why values are; empty: nothing was said
};

struct SampledMetric {
    std::string source; ///< nvml, process, cgroup, machine, network, rdma
    std::string metric; ///< as table `series` has it
    std::string unit;   ///< of the lines: "GB/s", "%"; empty: a number
    std::vector<SampledLine> lines;
    [[nodiscard]] std::string name() const; ///< in words, with source and unit
    [[nodiscard]] bool isMeasured() const;
};

/// By source, in the order they were sampled in; lines by host, rank and entity.
[[nodiscard]] std::vector<SampledMetric> sampledMetrics(const model::Model& model);
/// Whether it belongs to a link: RDMA ports, network cards, NVLink and PCIe.
[[nodiscard]] bool isOfLink(const SampledMetric& metric);

/// Time of each step in ms, the slowest rank's, at its begin; gaps where steps were left out.
[[nodiscard]] std::vector<LinePoint> stepTimeLine(const model::Model& model, const RunMetrics& metrics);

} // namespace ringside::metrics
