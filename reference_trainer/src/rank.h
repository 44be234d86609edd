// SPDX-License-Identifier: Apache-2.0
// Runs one rank: rendezvous, choice of the GPU, training, report.
#pragma once
#include "launch_environment.h"
#include "options.h"

namespace ringside::trainer {

/// Returns when training is over on all ranks. Throws Failure before training. Later failures end the process
/// with code 1 after all ranks were informed, because unwinding would wait for a GPU that waits for its
/// peers.
void runRank(const Options& options, const RankIdentity& identity);

} // namespace ringside::trainer
