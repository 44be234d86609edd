// SPDX-License-Identifier: Apache-2.0
// Bandwidths of collectives as nccl-tests defines them, and the line time = latency + size / bandwidth
// through a run's own.
#pragma once
#include "model/collective_match.h"

#include <optional>
#include <vector>

namespace ringside::metrics {

/// Bytes that nccl-tests calls S: of the whole operation, where NCCL's count is a per-rank part.
[[nodiscard]] double algorithmBytes(model::CollectiveKind kind, std::uint64_t bytes, std::int64_t ranks);
/// busbw = algbw x this.
[[nodiscard]] double busFactor(model::CollectiveKind kind, std::int64_t ranks);

struct SizeTime {
    double bytes = 0;
    double ns = 0;
    double weight = 1; ///< how many operations it stands for
};

struct LatencyFit {
    double latencyNs = 0;
    double nsPerByte = 0;
    /// At this size half of the time is latency, so that bandwidth is half of its peak.
    [[nodiscard]] double halfPeakBytes() const { return latencyNs / nsPerByte; }
};

/// Null when the sizes lie too close together to tell latency from bandwidth, or the line makes no sense.
[[nodiscard]] std::optional<LatencyFit> fitLatency(const std::vector<SizeTime>& points);

} // namespace ringside::metrics
