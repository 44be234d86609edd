// SPDX-License-Identifier: Apache-2.0
// Finds by how much the clocks of hosts differ: a line (offset and drift) through the ends of matched
// collectives in which every rank depends on every other, held inside what causality allows (nobody ends
// before the last one started). Ranks of one host share its clock; nothing is fitted between them.
#pragma once
#include "model/time.h"

#include <optional>
#include <vector>

namespace ringside::model {

/// One collective as two hosts saw it, each on its own clock: the latest start and the earliest and latest
/// end there.
struct ClockMatch {
    std::int64_t referenceLastStart = 0;
    std::int64_t referenceFirstEnd = 0;
    std::int64_t referenceLastEnd = 0;
    std::int64_t otherLastStart = 0;
    std::int64_t otherFirstEnd = 0;
    std::int64_t otherLastEnd = 0;
};

/// other clock = reference clock + offsetNs + drift * (reference clock - originNs)
struct ClockFit {
    std::int64_t originNs = 0; ///< on the reference clock
    std::int64_t offsetNs = 0; ///< at the origin
    double drift = 0.0;
    std::int64_t residualNs = 0; ///< 95th percentile of |distance of matched ends| after alignment
    std::int64_t boundNs = 0;    ///< causality proves that the error is not larger
};

/// Null without matches. Robust against a minority of ends that lie far off.
[[nodiscard]] std::optional<ClockFit> fitClock(std::vector<ClockMatch> matches);

} // namespace ringside::model
