// SPDX-License-Identifier: Apache-2.0
// Builds the model of a run from the rows of all its processes.
#pragma once
#include "model/model.h"

namespace ringside::model {

/// Builds the model of a run. Throws ringside::Error (Usage) if the trace has no steps as `options` define
/// them, or if the parallel sizes of `options` do not fit the job.
[[nodiscard]] Model buildModel(trace::RunTrace trace, const ModelOptions& options = {});

} // namespace ringside::model
