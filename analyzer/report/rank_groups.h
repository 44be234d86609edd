// SPDX-License-Identifier: Apache-2.0
// Divides the ranks of a large job into few groups, and finds the ranks that differ from their group. A table
// with a row for each of thousands of ranks is not read.
#pragma once
#include "report/report.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::report {

struct RankGroup {
    std::string name;                 ///< "3/4" of stages, a host, "40-50 %" of ranks by compute
    std::vector<std::size_t> members; ///< places in RunMetrics::ranks; never empty
};

struct RankGroups {
    std::string_view by; ///< what a group is: "stage", "host", "by compute"
    std::vector<RankGroup> groups;
};

/// By pipeline stage where the job has several; else by host where there are 2 to `most` hosts; else in
/// tenths from the least to the most compute.
[[nodiscard]] RankGroups groupRanks(const Report& report, std::size_t most);

/// Ranks whose compute, exposed copies or idle time differs from the median of their peers (the same stage,
/// or all) by 2 % of the step and by five times the usual deviation (median absolute deviation, scaled to a
/// standard deviation). Places in RunMetrics::ranks; the largest difference first, `most` at most.
[[nodiscard]] std::vector<std::size_t> outlyingRanks(const Report& report, std::size_t most);

} // namespace ringside::report
