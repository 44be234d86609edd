// SPDX-License-Identifier: Apache-2.0
#include "group.h"

#include "communicator.h"
#include "composite.h"
#include "errors.h"
#include "launch.h"
#include "observation.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ringside::nccl {
namespace {

struct Group {
    int depth = 0;
    std::optional<bool> blocking; ///< mode of its communicators, which must agree
    std::vector<Job> jobs;
    std::vector<Operation> operations;
    std::optional<Failure> error;
};

Group& current()
{
    thread_local Group group;
    return group;
}

void giveUp(const std::vector<Job>& jobs, const Failure& failure)
{
    for (const Job& job : jobs)
        job.handle->givenUp(failure.code(), failure.what());
}

/// As in the real library, which checks this for jobs only.
void refuseMixture(const Group& group, ncclComm& handle)
{
    if (group.blocking.value_or(handle.blocking()) == handle.blocking())
        return;
    const Failure failure(ncclInvalidArgument, "blocking and non-blocking communicators in one group");
    handle.givenUp(failure.code(), failure.what());
    throw Failure(failure);
}

/// The real library also launches non-blocking operations from a separate thread.
void launchBehind(std::vector<Operation> operations)
{
    std::vector<std::shared_ptr<ncclComm>> handles;
    for (const Operation& operation : operations) {
        auto handle = findHandle(operation.handle);
        if (std::find(handles.begin(), handles.end(), handle) == handles.end())
            handles.push_back(std::move(handle));
    }
    runBehind(std::move(handles), [operations = std::move(operations)] {
        checkCuda(cudaSetDevice(operations.front().communicator->device()), "cudaSetDevice");
        launch(operations);
    });
}

void launchGroup(std::vector<Operation> operations, bool blocking)
{
    if (blocking || operations.empty())
        launch(std::move(operations));
    else
        launchBehind(std::move(operations));
}

} // namespace

void startGroup()
{
    ++current().depth;
}

ncclResult_t endGroup()
{
    Group& group = current();
    if (group.depth == 0)
        throw Failure(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
    if (--group.depth > 0)
        return ncclSuccess;
    const profiler::GroupEnd observed;
    const std::vector<Job> jobs = std::exchange(group.jobs, {});
    std::vector<Operation> operations = std::exchange(group.operations, {});
    const bool blocking = std::exchange(group.blocking, std::nullopt).value_or(true);
    const std::optional<Failure> error = std::exchange(group.error, std::nullopt);
    if (error) {
        giveUp(jobs, *error);
        throw Failure::again(error->code(), error->what());
    }
    runJobs(jobs);
    launchGroup(std::move(operations), blocking);
    return blocking ? ncclSuccess : ncclInProgress;
}

bool isGroupOpen()
{
    return current().depth > 0;
}

void failGroup(const Failure& failure)
{
    if (isGroupOpen())
        current().error.emplace(failure);
}

void submit(Operation operation, bool blocking)
{
    Group& group = current();
    check(operation);
    logCall(operation);
    const std::size_t before = group.operations.size();
    appendParts(group.operations, std::move(operation));
    for (std::size_t i = before; i < group.operations.size(); ++i)
        enterProfiler(group.operations[i], group.depth + 1);
    if (group.depth > 0) {
        group.blocking = blocking;
        return;
    }
    const profiler::GroupEnd observed;
    launchGroup(std::exchange(group.operations, {}), blocking);
}

void submit(Job job)
{
    Group& group = current();
    if (group.depth == 0)
        return runJobs({std::move(job)});
    refuseMixture(group, *job.handle);
    group.blocking = job.handle->blocking();
    group.jobs.push_back(std::move(job));
}

} // namespace ringside::nccl
