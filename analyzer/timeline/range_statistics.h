// SPDX-License-Identifier: Apache-2.0
// Figures of a chosen range of time by rank. They are the figures of a step, computed by the same sweep.
#pragma once
#include "document/table.h"
#include "metrics/metrics.h"
#include "timeline/timeline.h"

#include <optional>
#include <vector>

namespace ringside::timeline {

struct RankInRange {
    std::size_t rank = 0; ///< index into Model::ranks
    /// Of the part of the range in which device work was recorded, which is its stepNs; null: in none of it.
    std::optional<metrics::Breakdown> device;
    /// Number of collectives in the range at which this rank arrived last; null: not measured in this run.
    std::optional<std::int64_t> lastArrivals;
    /// The most device memory that tensors held (PyTorch's allocator); null: not recorded.
    std::optional<double> peakAllocatedBytes;
};

/// Returns the figures by rank. The cost grows with the events in the range.
[[nodiscard]] std::vector<RankInRange> statisticsOf(const model::Model& model, const Timeline& timeline,
                                                    const Interval& range);
/// Returns a table with a line for each rank, with units, and "not measured" where a value is missing.
[[nodiscard]] document::Table tableOf(const model::Model& model, const std::vector<RankInRange>& ranks);

} // namespace ringside::timeline
