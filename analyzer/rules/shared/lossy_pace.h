// SPDX-License-Identifier: Apache-2.0
// Compares how fast a port sent while packets were lost with the rest of the run: the cost of the loss, if
// collectives do not show it. A transport that goes back to the lost packet (go-back-N) repeats all packets
// after it, so that few losses cost much.
#pragma once
#include "metrics/links.h"

#include <algorithm>
#include <map>

namespace ringside::rules {

struct LossyPace {
    double lossy = 0; ///< bytes per ns while packets were lost; packets per ns if bytes are not counted
    double other = 0; ///< the same between samples without loss
    [[nodiscard]] double ratio() const { return lossy / other; }
};

/// Returns medians over the intervals between samples in which the port sent. An interval counts as lossy if
/// more than `few` of its packets were lost. Returns null if there are fewer than three intervals of either
/// kind, or if traffic is not measured.
[[nodiscard]] std::optional<LossyPace> lossyPace(const metrics::Port& port, double few);

} // namespace ringside::rules
