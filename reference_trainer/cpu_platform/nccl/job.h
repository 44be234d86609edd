// SPDX-License-Identifier: Apache-2.0
// What takes other ranks' help on the host: making, splitting and finalizing communicators. Jobs of one group
// run side by side, each on a thread of its own, because ranks that wait for each other may belong to one
// thread of the program.
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
/// Runs `act` on a thread of its own; until it is done, or has failed, the handles are in progress. Throws
/// Failure where one of them has failed already.
void runBehind(std::vector<std::shared_ptr<ncclComm>> handles, std::function<void()> act);

} // namespace ringside::nccl
