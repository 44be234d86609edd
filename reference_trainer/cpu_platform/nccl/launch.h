// SPDX-License-Identifier: Apache-2.0
// Queues operations on streams: one piece of work, and so one kernel, for each communicator.
#pragma once
#include "operation.h"

#include <vector>

namespace ringside::nccl {

/// Launches checked operations. Throws Failure if the runtime does not accept them.
void launch(std::vector<Operation> operations);

} // namespace ringside::nccl
