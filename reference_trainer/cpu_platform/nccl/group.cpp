// SPDX-License-Identifier: Apache-2.0
#include "group.h"

#include "errors.h"
#include "launch.h"

#include <optional>
#include <utility>
#include <vector>

namespace ringside::nccl {
namespace {

struct Group {
    int depth = 0;
    std::vector<Operation> operations;
    std::optional<Failure> error;
};

Group& current()
{
    thread_local Group group;
    return group;
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
    std::vector<Operation> operations = std::exchange(group.operations, {});
    const std::optional<Failure> error = std::exchange(group.error, std::nullopt);
    if (error)
        throw Failure(*error);
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
    group.operations.push_back(std::move(operation));
    if (group.depth == 0)
        launch(std::exchange(group.operations, {}));
}

} // namespace ringside::nccl
