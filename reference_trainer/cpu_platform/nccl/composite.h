// SPDX-License-Identifier: Apache-2.0
// Collectives that consist of sends and receives: AlltoAll, Gather and Scatter, as in the real library (2.28)
// without copy engines. Their kernel is SendRecv.
#pragma once
#include "operation.h"

#include <vector>

namespace ringside::nccl {

/// Appends the operation, or the sends and receives of this rank that implement it.
void appendParts(std::vector<Operation>& operations, Operation operation);

} // namespace ringside::nccl
