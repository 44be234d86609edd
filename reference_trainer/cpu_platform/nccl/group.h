// SPDX-License-Identifier: Apache-2.0
// Group semantics: what a thread calls between ncclGroupStart and the outermost ncclGroupEnd is launched
// there, fused. Each thread has a group of its own.
#pragma once
#include "operation.h"

namespace ringside::nccl {

void startGroup();
/// Launches at the outermost level. Throws the first error of the group's calls, in which case nothing is
/// launched.
void endGroup();
/// Checks an operation, and launches it or adds it to the calling thread's group. Throws Failure.
void submit(Operation operation);

} // namespace ringside::nccl
