// SPDX-License-Identifier: Apache-2.0
// For runs in which nobody marks steps and nothing repeats: what was recorded is one window, the same stretch
// of time on all ranks, so that their figures compare.
#pragma once
#include "model/model.h"

namespace ringside::model {

/// Gives every rank with device work one step, of source Recording: the stretch in which all of them were
/// recorded. Where there is hardly any, each gets its own recording, and an issue says so.
void takeRecordingForStep(Model& model);

} // namespace ringside::model
