// SPDX-License-Identifier: Apache-2.0
// ncclGroupStart and ncclGroupEnd of the calling thread, and the calls in between. A call outside of a group
// is executed at once.
#pragma once
#include "errors.h"
#include "job.h"
#include "operation.h"

namespace ringside::nccl {

void startGroup();
/// Runs the group's jobs, then launches its operations. If its communicators are non-blocking, a separate
/// thread launches them, and the result is ncclInProgress. Throws the last error of a call in the group (then
/// nothing is executed) or the first error of the jobs.
ncclResult_t endGroup();
[[nodiscard]] bool isGroupOpen();
/// Stores a call's failure in the open group, if there is one.
void failGroup(const Failure& failure);
/// Checks and launches, or defers it to the end of the group. Throws Failure.
void submit(Operation operation, bool blocking);
/// The same for a job. It may still be in progress afterwards if the communicator is non-blocking.
void submit(Job job);

/// guarded() for calls whose failure also fails their group.
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
