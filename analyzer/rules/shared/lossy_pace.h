// SPDX-License-Identifier: Apache-2.0
// How fast a port sent while packets were lost, against the rest of the run: what the loss cost, where
// nobody's collectives tell. A transport that goes back to the lost packet repeats all that followed it, so
// few losses take much.
#pragma once
#include "metrics/links.h"

#include <algorithm>
#include <map>

namespace ringside::rules {

struct LossyPace {
    double lossy = 0; ///< bytes a ns while packets were lost, or packets where bytes are not counted
    double other = 0; ///< the same in readings without loss
    [[nodiscard]] double ratio() const { return lossy / other; }
};

/// Medians over readings in which the port sent at all; those that lost more than `few` of what they sent
/// count as lossy. Null: fewer than three readings of either kind, or traffic is not measured.
[[nodiscard]] std::optional<LossyPace> lossyPace(const metrics::Port& port, double few);

} // namespace ringside::rules
