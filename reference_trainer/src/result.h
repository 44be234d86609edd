// SPDX-License-Identifier: Apache-2.0
// The result that rank 0 reports at the end, for people and for tests.
#pragma once
#include "options.h"
#include "trainer.h"

namespace ringside::trainer {

/// Prints the figures and writes --json and --dump-parameters. Throws Failure if a file cannot be written.
void reportResult(const TrainingResult& result, const Options& options, unsigned worldSize);

} // namespace ringside::trainer
