// SPDX-License-Identifier: Apache-2.0
// Finds out whether a sampled gauge grows from step to step throughout the recording, as leaked memory does.
#pragma once
#include "metrics/samples.h"
#include "model/steps.h"

#include <optional>
#include <vector>

namespace ringside::metrics {

/// Returns what the gauge gains per step, in its unit. Null if it does not grow steadily, or there are too
/// few steps or samples to decide. Samples and `steps` must use the same clock.
///
/// The steps are divided into nine equal parts, of which the first three may be warm-up. From the third part
/// on, the minimum of each part must be above that of the previous part. A caching allocator also grows when
/// a batch is the largest so far. It only passes this test if each of the third to the eighth part contains
/// such a record batch. For eight parts in random order the probability is 2! / 8!, once in 20160 on one
/// rank; if the batches of many ranks differ, it happens more often on any of them. The last third must grow
/// at least half as much as the second, because growth that slows down ends by itself.
[[nodiscard]] std::optional<double> growthPerStep(const std::vector<SampleValue>& samples,
                                                  const std::vector<model::Step>& steps);

} // namespace ringside::metrics
