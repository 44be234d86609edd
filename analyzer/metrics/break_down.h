// SPDX-License-Identifier: Apache-2.0
// The parts of one window of a rank's time, for steps and for any other stretch.
#pragma once
#include "metrics/metrics.h"
#include "metrics/sweep.h"

namespace ringside::metrics {

/// By what a sweep over the window found. Leaves Breakdown::waitDelayNs at 0: that needs the windows around.
[[nodiscard]] Breakdown breakDown(const Interval& window, const Coverage& coverage);

} // namespace ringside::metrics
