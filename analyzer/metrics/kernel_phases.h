// SPDX-License-Identifier: Apache-2.0
// NCCL's own witness of lateness: at the start of its kernels a rank waits for the others (table
// kernel_phase), so the rank that all wait for waits least.
#pragma once
#include "metrics/metrics.h"

namespace ringside::metrics {

/// How much less some ranks wait at the start of NCCL's kernels than the others do (the median of these), ns
/// a step; negative if they wait longer. Null: NCCL told of phases on none of the one or of the other.
[[nodiscard]] std::optional<std::int64_t> initialWaitShortfall(const model::Model& run,
                                                               const RunMetrics& figures,
                                                               const std::vector<std::size_t>& ranks);

} // namespace ringside::metrics
