// SPDX-License-Identifier: Apache-2.0
// Puts operations on streams: one piece of work, so one kernel, for each communicator.
#pragma once
#include "operation.h"

#include <vector>

namespace ringside::nccl {

/// Launches checked operations. Throws Failure when the runtime does not take them.
void launch(std::vector<Operation> operations);

} // namespace ringside::nccl
