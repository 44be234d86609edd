// SPDX-License-Identifier: Apache-2.0
#include "job.h"

#include "communicator.h"
#include "errors.h"
#include "signal_guard.h"

#include <optional>
#include <thread>

namespace ringside::nccl {
namespace {

void run(const Job& job) noexcept
{
    try {
        job.handle->ready(job.run());
    } catch (...) {
        const ncclResult_t code = resultOfCurrentException();
        job.handle->failed(code, lastError());
    }
}

} // namespace

void runJobs(const std::vector<Job>& jobs)
{
    if (!jobs.empty()) {
        const AllSignalsBlocked guard;
        for (const Job& job : jobs)
            std::thread([job] { run(job); }).detach(); // an abort must not wait for it
    }
    std::optional<Failure> first;
    for (const Job& job : jobs) {
        try {
            if (job.handle->blocking())
                job.handle->wait();
        } catch (const Failure& failure) {
            if (!first)
                first = failure;
        }
    }
    if (first)
        throw Failure(*first);
}

} // namespace ringside::nccl
