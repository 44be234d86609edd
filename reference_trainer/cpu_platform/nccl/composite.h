// SPDX-License-Identifier: Apache-2.0
// Collectives that are nothing but sends and receives: AlltoAll, Gather and Scatter, as the real library
// (2.28) does them without copy engines. Their kernel is SendRecv.
#pragma once
#include "operation.h"

#include <vector>

namespace ringside::nccl {

/// Appends the operation, or the sends and receives that make it up on this rank.
void appendParts(std::vector<Operation>& operations, Operation operation);

} // namespace ringside::nccl
