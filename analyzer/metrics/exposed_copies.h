// SPDX-License-Identifier: Apache-2.0
// Finds out which copies take time of a step with neither compute nor communication beside them.
#pragma once
#include "metrics/metrics.h"

#include <vector>

namespace ringside::metrics {

/// The copies of one direction between memories of the same kinds.
struct CopyExposure {
    std::uint32_t kind = 0;       ///< CUpti_ActivityMemcpyKind, or trace::kSetKind
    std::uint32_t hostMemory = 0; ///< as trace::CopyRow::hostMemory
    std::int64_t copyNs = 0;      ///< at least one of these copies ran, over the analyzed steps
    /// The part of copyNs without compute and communication. Copies of two directions may run at once, so
    /// that the sum over all directions may be more than Breakdown::exposedCopyNs.
    std::int64_t exposedNs = 0;
    double bytes = 0; ///< of the copies that begin in the analyzed steps
    Interval longest; ///< the longest of these copies, on the rank's clock

    /// Returns the bytes per ns of copying, which are GB/s.
    [[nodiscard]] double gigabytesPerSecond() const
    {
        return copyNs > 0 ? bytes / static_cast<double>(copyNs) : 0.0;
    }
};

/// Returns the exposed copies of a rank, ordered by exposed time, the longest first.
[[nodiscard]] std::vector<CopyExposure> exposedCopiesOf(const model::Model& model, const RankMetrics& rank);

} // namespace ringside::metrics
