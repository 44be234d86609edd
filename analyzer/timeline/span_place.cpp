// SPDX-License-Identifier: Apache-2.0
#include "timeline/span_place.h"

#include <algorithm>

namespace ringside::timeline {

SpanPlace placeOf(const model::Model& model, const Timeline& timeline, const SpanId& span)
{
    const Track& track = timeline.tracks[span.track];
    const Span here = timeline.span(span);
    return {model.ranks[track.rank].rank,
            track.kind,
            track.id,
            span.lane,
            here.time.start + here.time.length() / 2,
            nameOf(model, track, here)};
}

std::optional<SpanId> findPlace(const model::Model& model, const Timeline& timeline, const SpanPlace& place)
{
    const auto isSame = [&](const Track& track) {
        return track.kind == place.kind && track.id == place.id && model.ranks[track.rank].rank == place.rank;
    };
    const auto track = std::ranges::find_if(timeline.tracks, isSame);
    if (track == timeline.tracks.end() || place.lane >= track->lanes.size()) {
        return std::nullopt;
    }
    const Lane& lane = track->lanes[place.lane];
    const auto index = lane.at(place.middleNs);
    if (!index || nameOf(model, *track, lane.span(*index)) != place.name) {
        return std::nullopt;
    }
    return SpanId{static_cast<std::size_t>(track - timeline.tracks.begin()), place.lane, *index};
}

} // namespace ringside::timeline
