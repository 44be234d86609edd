// SPDX-License-Identifier: Apache-2.0
// The steps of a run: all ranks have them by one definition, so that step 7 of one is step 7 of the others.
// The best that all know counts: explicit marks, NVTX ranges of one kind, the period of their calls.
#pragma once
#include "model/model.h"

namespace ringside::model {

/// Fills Rank::steps and Rank::stepSource of all ranks, on the host and on the device.
void findSteps(Model& model);

/// Fills what a model says of the steps that figures stand on.
void chooseSteps(Model& model);

} // namespace ringside::model
