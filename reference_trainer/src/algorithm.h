// SPDX-License-Identifier: Apache-2.0
// --algorithm as NCCL understands it.
#pragma once
#include "options.h"

namespace ringside::trainer {

/// Sets NCCL_ALGO for this process and the ranks it starts; before the first communicator. Throws Failure
/// where somebody has set it to something else.
void chooseAlgorithm(const Options& options);

} // namespace ringside::trainer
