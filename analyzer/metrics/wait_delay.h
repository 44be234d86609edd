// SPDX-License-Identifier: Apache-2.0
// What waiting inside collectives delays a rank's steps: more than the exposed wait, because what is queued
// behind a waiting collective starts late too. An estimate from above: how early the queued ones were ready
// is not recorded.
#pragma once
#include "metrics/sweep.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ringside::metrics {

/// Chains of communication kernels that follow each other at once, over all streams. A pause longer than a
/// launch takes ends a chain: the next kernel then waited for its own data, and an earlier end of the one
/// before would not have helped.
[[nodiscard]] std::vector<Interval> communicationChains(const std::vector<Lane>& communication);

/// Per window the sum of min(time only waiting, exposed communication) over the chains that start in it, ns:
/// the end of a chain often lies behind the first copy of the next step. `swept` are the chains' coverages.
/// `windows` ascend and do not overlap.
[[nodiscard]] std::vector<std::int64_t> delayByWaiting(std::span<const Interval> chains,
                                                       std::span<const Coverage> swept,
                                                       std::span<const Interval> windows);

} // namespace ringside::metrics
