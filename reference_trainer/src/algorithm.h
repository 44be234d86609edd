// SPDX-License-Identifier: Apache-2.0
// Passes --algorithm to NCCL.
#pragma once
#include "options.h"

namespace ringside::trainer {

/// Sets NCCL_ALGO for this process and the ranks that it starts. Call it before the first communicator.
/// Throws Failure if it is set to another value.
void chooseAlgorithm(const Options& options);

} // namespace ringside::trainer
