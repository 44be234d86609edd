// SPDX-License-Identifier: Apache-2.0
// What the pixels of a picture stand for: how much of the time of each is really covered by work. A picture
// that shows every bar at full height makes a stream that is used for a thousandth of the time look busy.
#pragma once
#include "timeline/lane.h"

#include <vector>

namespace ringside::timeline {

/// Divides `range` into `columns` equal parts and returns the share of each that every kind of span covers,
/// from 0 to 1. `bars` are the lane's bars of this range at a resolution of at most one column. Spans that
/// share a bar count as spread evenly between its begin and its last span, which is less than one column.
[[nodiscard]] std::vector<ByKind<float>> coverageOf(const Lane& lane, const std::vector<Bar>& bars,
                                                    const Interval& range, std::size_t columns);

} // namespace ringside::timeline
