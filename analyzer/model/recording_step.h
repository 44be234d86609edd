// SPDX-License-Identifier: Apache-2.0
// Analyzes the recording as a whole, for runs in which no steps are marked and nothing repeats. All ranks get
// the same stretch of time, so that their metrics can be compared.
#pragma once
#include "model/model.h"

namespace ringside::model {

/// Gives every rank with device work one step of source Recording: the stretch in which all ranks were
/// recorded. If that is shorter than half of what a rank usually recorded, each rank gets its own recording
/// instead, and an issue reports it.
void takeRecordingForStep(Model& model);

} // namespace ringside::model
