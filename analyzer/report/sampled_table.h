// SPDX-License-Identifier: Apache-2.0
// What was sampled of a metric, a row a line: how often, least, median, most, and why nothing.
#pragma once
#include "metrics/sampled_lines.h"
#include "report/table.h"

namespace ringside::report {

/// "rank 2, gpu0" or "node1 mlx5_0:1".
[[nodiscard]] std::string lineName(const model::Model& model, const metrics::SampledLine& line);
[[nodiscard]] Table sampledTable(const model::Model& model, const metrics::SampledMetric& metric);

} // namespace ringside::report
