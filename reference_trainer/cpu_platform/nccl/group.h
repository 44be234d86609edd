// SPDX-License-Identifier: Apache-2.0
// ncclGroupStart and ncclGroupEnd of the calling thread, and what is submitted in between (or outside, then
// it happens at once).
#pragma once
#include "errors.h"
#include "job.h"
#include "operation.h"

namespace ringside::nccl {

void startGroup();
/// Runs the group's jobs, then launches its operations. Where its communicators are non-blocking, a thread of
/// its own launches them: ncclInProgress. Throws the last error of a call in the group (nothing happens then)
/// or the first of the jobs.
ncclResult_t endGroup();
[[nodiscard]] bool isGroupOpen();
/// Makes a call's failure the open group's, if there is one.
void failGroup(const Failure& failure);
/// Checks and launches, or leaves it to the end of the group. Throws Failure.
void submit(Operation operation, bool blocking);
/// The same for a job, which may still be in progress afterwards where the communicator is non-blocking.
void submit(Job job);

/// guarded(), for calls whose failure is also that of the group they are in.
template <class Body>
ncclResult_t guardedInGroup(Body&& body) noexcept
{
    return guarded([&] {
        try {
            return body();
        } catch (const Failure& failure) {
            failGroup(failure);
            throw;
        }
    });
}

} // namespace ringside::nccl
