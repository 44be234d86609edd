// SPDX-License-Identifier: Apache-2.0
// Orders in which people look at ranks: by number, grouped by host or by place in the job, or the worst
// first.
#pragma once
#include "report/report.h"

#include <string>
#include <vector>

namespace ringside::timeline {

enum class RankOrder : std::uint8_t {
    Number,
    Host,     ///< groups: the hosts
    Place,    ///< groups: the stages, else the tensor places, as far as they are known
    CameLast, ///< the rank that arrived last most often comes first
    Useful,   ///< the rank with the lowest useful utilization comes first
};

struct OrderedRank {
    std::size_t rank = 0; ///< index into Model::ranks
    std::string group;    ///< title of its group; ranks of a group follow each other. Empty: no groups
};

/// Returns all ranks. Ranks whose figure was not measured come last; equal ones are ordered by number.
[[nodiscard]] std::vector<OrderedRank> orderRanks(const report::Report& report, RankOrder order);

} // namespace ringside::timeline
