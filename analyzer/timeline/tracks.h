// SPDX-License-Identifier: Apache-2.0
// The tracks of one rank, made from its rows. Private to timeline/.
#pragma once
#include "metrics/timed_calls.h"
#include "timeline/timeline.h"

namespace ringside::timeline {

/// A rank's part of an operation, found while its tracks were made; `track` counts within the rank.
struct RankPart {
    std::size_t operation = 0;
    Part part;
};

struct RankTracks {
    std::vector<Track> tracks;
    std::vector<RankPart> parts;
};

/// Steps, streams, and collectives that only CUDA events timed.
[[nodiscard]] RankTracks deviceTracks(const model::Model& model, std::size_t rank,
                                      const metrics::AllArrivals& arrivals);
/// Threads with their calls and ranges.
[[nodiscard]] std::vector<Track> hostTracks(const model::Model& model, std::size_t rank);

} // namespace ringside::timeline
