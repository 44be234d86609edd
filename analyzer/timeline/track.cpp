// SPDX-License-Identifier: Apache-2.0
#include "timeline/track.h"

#include <algorithm>

namespace ringside::timeline {

std::size_t Track::spans() const
{
    std::size_t sum = 0;
    for (const Lane& lane : lanes) {
        sum += lane.size();
    }
    return sum;
}

std::span<const Track> tracksOf(std::span<const Track> tracks, std::size_t rank)
{
    const auto first = std::ranges::lower_bound(tracks, rank, {}, &Track::rank);
    const auto last = std::ranges::upper_bound(tracks, rank, {}, &Track::rank);
    return {first, last};
}

} // namespace ringside::timeline
