// SPDX-License-Identifier: Apache-2.0
// What a stretch of time that somebody chose was made of, rank by rank: the same figures as of a step, by the
// same sweep.
#pragma once
#include "metrics/metrics.h"
#include "report/table.h"
#include "timeline/timeline.h"

#include <optional>
#include <vector>

namespace ringside::timeline {

struct RankInRange {
    std::size_t rank = 0;                     ///< of Model::ranks
    std::optional<metrics::Breakdown> device; ///< null: not measured, no device work of it was recorded
    /// To so many collectives whose last rank came within the range; null: not measured in this run.
    std::optional<std::int64_t> cameLast;
};

/// By rank. Costs as much as there is in the range.
[[nodiscard]] std::vector<RankInRange> statisticsOf(const model::Model& model, const Timeline& timeline,
                                                    const Interval& range);
/// A line a rank, with units; "not measured" where nothing was.
[[nodiscard]] report::Table tableOf(const model::Model& model, const std::vector<RankInRange>& ranks);

} // namespace ringside::timeline
