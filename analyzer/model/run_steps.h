// SPDX-License-Identifier: Apache-2.0
// Finds the steps of a run. All ranks use one definition of a step, so that step 7 of one rank is step 7 of
// the others. It is the best definition that applies to all of them: explicit marks, then NVTX ranges of one
// kind, then the period of their calls.
#pragma once
#include "model/model.h"

namespace ringside::model {

/// Fills Rank::steps and Rank::stepSource of all ranks, with times on the host and on the device. Throws
/// ringside::Error (Usage) if the run has no steps as the user defined them.
void findSteps(Model& model);

/// Chooses the steps that are analyzed: fills analyzedSteps, analyzedWhole and stepCoverage.
void chooseSteps(Model& model);

} // namespace ringside::model
