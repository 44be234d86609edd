// SPDX-License-Identifier: Apache-2.0
// Builds the table of a sampled metric, one row per line: number of values, smallest, median, largest, last,
// and why values are missing.
#pragma once
#include "document/table.h"
#include "metrics/sampled_lines.h"

namespace ringside::report {

/// Returns "rank 2, gpu0" or "node1 mlx5_0:1".
[[nodiscard]] std::string lineName(const model::Model& model, const metrics::SampledLine& line);
[[nodiscard]] document::Table sampledTable(const model::Model& model, const metrics::SampledMetric& metric);

} // namespace ringside::report
