// SPDX-License-Identifier: Apache-2.0
// A rank's life: meet the others, take a GPU, train, report.
#pragma once
#include "launch_environment.h"
#include "options.h"

namespace ringside::trainer {

/// Returns when training is over on all ranks. Throws Failure before training; later failures end the process
/// with code 1 after all ranks were told, since unwinding would wait for a GPU that waits for its peers.
void runRank(const Options& options, const RankIdentity& identity);

} // namespace ringside::trainer
