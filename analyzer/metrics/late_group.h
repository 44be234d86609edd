// SPDX-License-Identifier: Apache-2.0
// Ranks that were late together, and how much the others lost by them.
#pragma once
#include "model/time.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ringside::metrics {

/// A group of ranks that arrived later than all other ranks, after a gap. If several ranks are equally late,
/// the others do not wait for one of them alone. Each gap between arrivals is therefore charged to the group
/// of all ranks that arrived after it.
struct LateGroup {
    std::vector<std::size_t> ranks;             ///< indices into Model::ranks, ascending
    std::map<std::size_t, std::int64_t> lostNs; ///< summed gaps by block
    std::vector<std::int64_t> losses;           ///< the gap of each operation, ns
    std::int64_t sumNs = 0;
    std::int64_t largestNs = 0;
    std::size_t worstOfOperations = 0; ///< operations whose largest gap is that before this group
    std::size_t worstOfBlocks = 0;     ///< blocks in which no other group of this size lost more
    std::size_t heavyBlocks = 0; ///< smallest number of blocks with 90 % of the loss of groups of this size
    std::size_t worstOfHeavyBlocks = 0;
    std::size_t candidates = 0;     ///< number of ranks compared: all ranks, or the rank and its peers
    std::size_t worstOperation = 0; ///< index into RunMetrics::arrived of the one with the largest gap
    /// Set for an origin of delays (delay_origins.h) in place of `worstOperation`: the step in which it
    /// delayed the others longest, on the rank's own clock.
    std::optional<model::Interval> worstWindow;
};

} // namespace ringside::metrics
