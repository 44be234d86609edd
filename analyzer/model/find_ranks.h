// SPDX-License-Identifier: Apache-2.0
// Which ranks a run has, and which process speaks for each.
#pragma once
#include "model/model.h"

namespace ringside::model {

/// Fills ranks and worldSize from the processes of model.trace. Of several processes that are the same rank
/// the latest attempt speaks for it, of one attempt the one that did most. Where no process is a rank of
/// anything and none communicates, as in a program on one GPU, the one that did most is rank 0 of 1. What is
/// left out is named in an issue.
void findRanks(Model& model);

} // namespace ringside::model
