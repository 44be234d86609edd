// SPDX-License-Identifier: Apache-2.0
// Finds by how much the clocks of two hosts differ. It fits a line (offset and drift) through the ends of
// matched collectives in which every rank depends on every other, and keeps the line within what causality
// allows: no rank ends before the last rank has started. Ranks of one host share its clock, so that nothing
// is fitted between them.
#pragma once
#include "model/time.h"

#include <optional>
#include <vector>

namespace ringside::model {

/// The times of one collective on two hosts, each on its own clock (ns): on each host the latest start, the
/// earliest end and the latest end.
struct ClockMatch {
    std::int64_t referenceLastStart = 0;
    std::int64_t referenceFirstEnd = 0;
    std::int64_t referenceLastEnd = 0;
    std::int64_t otherLastStart = 0;
    std::int64_t otherFirstEnd = 0;
    std::int64_t otherLastEnd = 0;
};

/// A message from one host to another. It was taken after it was sent: the begin of the send and the end of
/// the receive, each on its own clock (ns).
struct OneWay {
    bool toOther = false; ///< else from the other host to the reference
    std::int64_t referenceNs = 0;
    std::int64_t otherNs = 0;
};

/// The fitted line: other clock = reference clock + offsetNs + drift * (reference clock - originNs).
struct ClockFit {
    std::int64_t originNs = 0; ///< on the reference clock
    std::int64_t offsetNs = 0; ///< at the origin
    double drift = 0.0;
    std::int64_t residualNs = 0; ///< 95th percentile of |distance of matched ends| after alignment
    std::int64_t boundNs = 0;    ///< upper limit of the error that follows from causality
};

/// Fits the clocks. A minority of outliers among the ends does not spoil the result. Returns null if there
/// are no matches.
[[nodiscard]] std::optional<ClockFit> fitClock(std::vector<ClockMatch> matches);
/// Fits the clocks by what messages in both directions allow, as NTP does: the offset is the middle of the
/// range. A send may end long before its receive, so ends are not compared, and the residual is the bound.
/// Returns null if messages go in one direction only, or contradict each other.
[[nodiscard]] std::optional<ClockFit> fitClock(std::vector<OneWay> messages);

} // namespace ringside::model
