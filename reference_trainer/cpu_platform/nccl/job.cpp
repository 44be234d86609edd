// SPDX-License-Identifier: Apache-2.0
#include "job.h"

#include "communicator.h"
#include "errors.h"
#include "signal_guard.h"

#include <optional>
#include <thread>

namespace ringside::nccl {
namespace {

template <class Act>
void attempt(const Job& job, Act&& act) noexcept
{
    try {
        act();
    } catch (...) {
        const ncclResult_t code = resultOfCurrentException();
        job.handle->failed(code, lastError());
    }
}

void run(const Job& job) noexcept
{
    attempt(job, [&] { job.handle->ready(job.run()); });
}

/// There may be no thread to be had.
void start(const Job& job) noexcept
{
    attempt(job, [&] { std::thread([job] { run(job); }).detach(); }); // an abort must not wait for it
}

} // namespace

void runJobs(const std::vector<Job>& jobs)
{
    if (!jobs.empty()) {
        const AllSignalsBlocked guard;
        for (const Job& job : jobs)
            start(job);
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
