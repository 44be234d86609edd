// SPDX-License-Identifier: Apache-2.0
// Divides one window of a rank's time into its parts. A window is a step or any other time span.
#pragma once
#include "metrics/metrics.h"
#include "metrics/sweep.h"

namespace ringside::metrics {

/// Computes the breakdown of a window from its coverage (sweep.h). Leaves Breakdown::waitDelayNs at 0,
/// because that depends on the neighbouring windows, too.
[[nodiscard]] Breakdown breakDown(const Interval& window, const Coverage& coverage);

} // namespace ringside::metrics
