// SPDX-License-Identifier: Apache-2.0
// Finds which ranks a run has, and which process represents each of them.
#pragma once
#include "model/model.h"

namespace ringside::model {

/// Fills ranks and worldSize from the processes of model.trace. If several processes have the same rank, the
/// one of the latest attempt represents it; within one attempt, the one with the most records. If no process
/// has a rank and none communicates, as in a program on one GPU, the process with the most records becomes
/// rank 0 of 1. Processes that are left out are reported as an issue.
void findRanks(Model& model);

} // namespace ringside::model
