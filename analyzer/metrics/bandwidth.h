// SPDX-License-Identifier: Apache-2.0
// Computes bandwidths of collectives as nccl-tests defines them, and fits the line
// time = latency + size / bandwidth to the collectives of a run.
#pragma once
#include "model/collective_match.h"

#include <optional>
#include <vector>

namespace ringside::metrics {

/// Returns the size that nccl-tests calls S, in bytes: `bytes`, or the sum over the ranks for kinds whose
/// NCCL count is the part of one rank. https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
[[nodiscard]] double algorithmBytes(model::CollectiveKind kind, std::uint64_t bytes, std::int64_t ranks);
/// Returns the factor by which nccl-tests multiplies algorithm bandwidth to get bus bandwidth.
[[nodiscard]] double busFactor(model::CollectiveKind kind, std::int64_t ranks);

struct SizeTime {
    double bytes = 0;
    double ns = 0;
    double weight = 1; ///< number of operations that this point stands for
};

struct LatencyFit {
    double latencyNs = 0;
    double nsPerByte = 0;
    /// Returns the size at which half of the time is latency, so that bandwidth is half of its peak.
    [[nodiscard]] double halfPeakBytes() const { return latencyNs / nsPerByte; }
};

/// Fits a weighted least-squares line. Returns null if the largest size is less than twice the smallest, or
/// if the fit gives no positive slope or a negative latency.
[[nodiscard]] std::optional<LatencyFit> fitLatency(const std::vector<SizeTime>& points);

} // namespace ringside::metrics
