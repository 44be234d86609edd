// SPDX-License-Identifier: Apache-2.0
// ncclGroupStart and ncclGroupEnd of the calling thread, and what is submitted in between (or outside, then
// it happens at once).
#pragma once
#include "job.h"
#include "operation.h"

namespace ringside::nccl {

void startGroup();
/// Runs the group's jobs, then launches its operations. Throws the first error of a call in the group
/// (nothing happens then) or of the jobs.
void endGroup();
/// Checks and launches, or leaves it to the end of the group. Throws Failure.
void submit(Operation operation);
/// The same for a job. ncclInProgress where the communicator is non-blocking.
ncclResult_t submit(Job job);

} // namespace ringside::nccl
