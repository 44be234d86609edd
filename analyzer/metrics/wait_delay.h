// SPDX-License-Identifier: Apache-2.0
// Estimates by how much waiting inside collectives delays a rank's steps. That is more than the exposed
// wait, because kernels queued behind a waiting collective start late, too. The estimate is an upper bound:
// the recording does not contain when the queued kernels were ready to run.
#pragma once
#include "metrics/sweep.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ringside::metrics {

/// Returns the chains of communication kernels that follow each other directly, over all streams. A pause
/// longer than a launch takes ends a chain: the next kernel then waited for its own data, and would not have
/// started earlier if the previous kernel had ended earlier.
[[nodiscard]] std::vector<Interval> communicationChains(const std::vector<Lane>& communication);

/// Returns for each window the sum of min(time only waiting, exposed communication) over the chains that
/// start in it, in ns. The start decides, because a chain often ends after the first copy of the next step.
/// `swept` are the coverages of the chains. `windows` must ascend and must not overlap.
[[nodiscard]] std::vector<std::int64_t> delayByWaiting(std::span<const Interval> chains,
                                                       std::span<const Coverage> swept,
                                                       std::span<const Interval> windows);

} // namespace ringside::metrics
