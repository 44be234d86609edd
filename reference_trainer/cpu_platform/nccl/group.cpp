// SPDX-License-Identifier: Apache-2.0
#include "group.h"

#include "composite.h"
#include "errors.h"
#include "launch.h"
#include "observation.h"

#include <optional>
#include <utility>
#include <vector>

namespace ringside::nccl {
namespace {

struct Group {
    int depth = 0;
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
        job.handle->failed(failure.code(), failure.what());
}

} // namespace

void startGroup()
{
    ++current().depth;
}

void endGroup()
{
    Group& group = current();
    if (group.depth == 0)
        throw Failure(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
    if (--group.depth > 0)
        return;
    const profiler::GroupEnd observed;
    const std::vector<Job> jobs = std::exchange(group.jobs, {});
    std::vector<Operation> operations = std::exchange(group.operations, {});
    const std::optional<Failure> error = std::exchange(group.error, std::nullopt);
    if (error) {
        giveUp(jobs, *error);
        throw Failure::again(error->code(), error->what());
    }
    runJobs(jobs);
    launch(std::move(operations));
}

void submit(Operation operation)
{
    Group& group = current();
    try {
        check(operation);
    } catch (const Failure& failure) {
        if (group.depth > 0 && !group.error)
            group.error = failure;
        throw;
    }
    logCall(operation);
    const std::size_t before = group.operations.size();
    appendParts(group.operations, std::move(operation));
    for (std::size_t i = before; i < group.operations.size(); ++i)
        enterProfiler(group.operations[i], group.depth + 1);
    if (group.depth > 0)
        return;
    const profiler::GroupEnd observed;
    launch(std::exchange(group.operations, {}));
}

ncclResult_t submit(Job job)
{
    const bool blocking = job.handle->blocking();
    if (current().depth > 0)
        current().jobs.push_back(std::move(job));
    else
        runJobs({std::move(job)});
    return blocking ? ncclSuccess : ncclInProgress;
}

} // namespace ringside::nccl
