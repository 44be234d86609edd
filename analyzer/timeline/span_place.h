// SPDX-License-Identifier: Apache-2.0
// Where a span is, in words that also hold for a timeline that is built anew from the same run: of a job that
// runs, with more spans behind it.
#pragma once
#include "timeline/timeline.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ringside::timeline {

struct SpanPlace {
    std::int64_t rank = 0; ///< number, not index
    TrackKind kind = TrackKind::Steps;
    std::int64_t id = 0; ///< of the track
    std::size_t lane = 0;
    std::int64_t middleNs = 0; ///< run time
    std::string name;
};

[[nodiscard]] SpanPlace placeOf(const model::Model& model, const Timeline& timeline, const SpanId& span);
/// Returns the span of that name at that place; null: there is none any more.
[[nodiscard]] std::optional<SpanId> findPlace(const model::Model& model, const Timeline& timeline,
                                              const SpanPlace& place);

} // namespace ringside::timeline
