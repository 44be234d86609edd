// SPDX-License-Identifier: Apache-2.0
// Jobs need other ranks on the host: creating, splitting and finalizing communicators. Jobs of one group run
// in parallel, each on a thread of its own, because ranks that wait for each other may belong to one thread
// of the program.
#pragma once
#include "handle.h"

#include <functional>
#include <memory>
#include <vector>

namespace ringside::nccl {

struct Job {
    std::shared_ptr<ncclComm> handle; ///< in progress
    /// Returns the handle's communicator, or throws.
    std::function<std::shared_ptr<Communicator>()> run;
};

/// Runs all jobs and waits for those of blocking communicators; throws the first one's Failure.
void runJobs(const std::vector<Job>& jobs);
/// Runs `act` on a separate thread; the handles are in progress until it has ended. Throws Failure if one of
/// them has failed already.
void runBehind(std::vector<std::shared_ptr<ncclComm>> handles, std::function<void()> act);

} // namespace ringside::nccl
