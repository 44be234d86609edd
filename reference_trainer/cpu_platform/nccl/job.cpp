// SPDX-License-Identifier: Apache-2.0
#include "job.h"

#include "communicator.h"
#include "errors.h"
#include "signal_guard.h"

#include <optional>
#include <system_error>
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

/// Starting a thread may fail.
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

void runBehind(std::vector<std::shared_ptr<ncclComm>> handles, std::function<void()> act)
{
    for (std::size_t begun = 0; begun < handles.size(); ++begun) {
        try {
            handles[begun]->begin();
        } catch (const Failure& failure) {
            while (begun > 0)
                handles[--begun]->failed(failure.code(), failure.what());
            throw;
        }
    }
    const auto settle = [handles](const std::function<void()>& work) noexcept {
        ncclResult_t code = ncclSuccess;
        try {
            work();
        } catch (...) {
            code = resultOfCurrentException();
        }
        for (const auto& handle : handles)
            code == ncclSuccess ? handle->ready(handle->communicatorIfAny())
                                : handle->failed(code, lastError());
    };
    const AllSignalsBlocked guard;
    try {
        std::thread([settle, act] { settle(act); }).detach();
    } catch (const std::system_error&) {
        settle([] { throw Failure(ncclSystemError, "no thread could be made to launch the group"); });
    }
}

} // namespace ringside::nccl
