// SPDX-License-Identifier: Apache-2.0
// Whether a sampled gauge grows from step to step for as long as it was seen, as memory does that somebody
// forgets to give back.
#pragma once
#include "metrics/samples.h"
#include "model/steps.h"

#include <optional>
#include <vector>

namespace ringside::metrics {

/// What the gauge gains in a step, in its unit. Null where it does not grow steadily, or where steps or
/// samples are too few to tell.
///
/// The steps are cut into nine parts of equally many. The first three may be warm-up. From the third on the
/// least value of each part must be above that of the part before: what an allocator only keeps goes up when
/// a batch is the largest so far. A part begins with what is kept by then, so that each of the third to the
/// eighth must hold such a record: of eight parts alike that happens once in 20160 (2! / 8!), on one rank;
/// of many ranks whose batches differ, somewhere more often. The last third must grow at least half as much
/// as the one before it, for what slows down comes to an end by itself. Samples and `steps` are of one clock.
[[nodiscard]] std::optional<double> growthAStep(const std::vector<SampleValue>& samples,
                                                const std::vector<model::Step>& steps);

} // namespace ringside::metrics
