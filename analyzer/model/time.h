// SPDX-License-Identifier: Apache-2.0
// The conversion from a host's clock to run time. All times are integer ns.
#pragma once
#include "values/interval.h"
#include "values/quantile.h"

#include <cmath>

namespace ringside::model {

using values::addCapped;
using values::Interval;
using values::lengthOfUnion;
using values::median;
using values::overlapLength;

/// Converts CLOCK_MONOTONIC ns of a host to run time: ns since the run began, on the reference host's clock.
struct ClockMap {
    std::int64_t localReference = 0; ///< a moment on the host's own clock
    std::int64_t runReference = 0;   ///< the same moment in run time
    double drift = 0.0; ///< how much faster the host's clock runs than the reference's, as a ratio
    [[nodiscard]] std::int64_t toRun(std::int64_t local) const
    {
        const std::int64_t elapsed = local - localReference;
        if (drift == 0.0) {
            return runReference + elapsed;
        }
        return runReference + elapsed - std::llround(static_cast<double>(elapsed) * drift);
    }
};

} // namespace ringside::model
