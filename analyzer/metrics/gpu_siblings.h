// SPDX-License-Identifier: Apache-2.0
// Compares each GPU with the others of its model, for rows of the table of conditions.
#pragma once
#include "metrics/metrics.h"
#include "model/model.h"

namespace ringside::metrics {

/// Adds facts to RunMetrics::gpus, whose ranks must be measured. Of all GPUs with a rank:
/// "nvlinks_of_siblings", the most NVLinks that one of the model had up. Of models with three GPUs or more:
/// "clock_mhz" and "clock_of_siblings", the median clock of the GPU over its rank's analyzed steps and the
/// median of these, and "at_power_cap" where the cap alone holds its clock down most of the time.
void compareSiblings(const model::Model& model, RunMetrics& run);

} // namespace ringside::metrics
