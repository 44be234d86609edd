// SPDX-License-Identifier: Apache-2.0
// What rank 0 says at the end: to people, and to tests.
#pragma once
#include "options.h"
#include "trainer.h"

namespace ringside::trainer {

/// Prints the figures; writes --json and --dump-parameters. Throws Failure when a file cannot be written.
void reportResult(const TrainingResult& result, const Options& options, unsigned worldSize);

} // namespace ringside::trainer
