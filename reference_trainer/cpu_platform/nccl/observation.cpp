// SPDX-License-Identifier: Apache-2.0
#include "observation.h"

#include "communicator.h"
#include "debug_log.h"
#include "errors.h"
#include "handle.h"

namespace ringside::nccl {
namespace {

const char* nameOf(Kind kind)
{
    switch (kind) {
    case Kind::AllReduce:
        return "AllReduce";
    case Kind::Broadcast:
        return "Broadcast";
    case Kind::Reduce:
        return "Reduce";
    case Kind::AllGather:
        return "AllGather";
    case Kind::ReduceScatter:
        return "ReduceScatter";
    case Kind::Send:
        return "Send";
    case Kind::Recv:
        return "Recv";
    case Kind::AlltoAll:
        return "AlltoAll";
    case Kind::Gather:
        return "Gather";
    case Kind::Scatter:
        return "Scatter";
    }
    return "Invalid";
}

/// Returns NCCL's own number of a collective (ncclFunc_t).
std::size_t numberOf(Kind kind)
{
    switch (kind) {
    case Kind::Broadcast:
        return 0;
    case Kind::Reduce:
        return 1;
    case Kind::AllGather:
        return 2;
    case Kind::ReduceScatter:
        return 3;
    default:
        return 4;
    }
}

/// Sends and receives have one buffer, which NCCL names the receive buffer.
void* targetOf(const Operation& operation)
{
    return operation.kind == Kind::Send ? const_cast<void*>(operation.source) : operation.target;
}

const void* sourceOf(const Operation& operation)
{
    return operation.kind == Kind::Send ? nullptr : operation.source;
}

profiler::Call callOf(const Operation& operation, bool captured)
{
    return {.function = nameOf(operation.kind),
            .pointToPoint = operation.pointToPoint(),
            .number = numberOf(operation.kind),
            .source = sourceOf(operation),
            .target = targetOf(operation),
            .count = operation.count,
            .type = operation.type,
            .element = operation.element,
            .peer = operation.peer,
            .stream = operation.stream,
            .captured = captured,
            .tree = operation.algorithm == Algorithm::Tree};
}

/// NCCL drops empty collectives, and copies those of a single rank without a task: they have no events.
bool isTask(const Operation& operation)
{
    return operation.pointToPoint() || (operation.count > 0 && operation.communicator->size() > 1);
}

std::shared_ptr<Communicator> communicatorIfAny(ncclComm_t handle) noexcept
{
    try {
        return handle == nullptr ? nullptr : findHandle(handle)->communicatorIfAny();
    } catch (const Failure&) {
        return nullptr; // the call itself reports the error
    }
}

} // namespace

std::uint64_t hashOf(ncclComm_t handle) noexcept
{
    const std::shared_ptr<Communicator> communicator = communicatorIfAny(handle);
    return communicator == nullptr ? 0 : communicator->hash();
}

std::size_t bytesOf(std::size_t count, ncclDataType_t type) noexcept
{
    try {
        return count * elementSize(type);
    } catch (const Failure&) {
        return count * ~std::size_t(0);
    }
}

RankPayload rankPayload(ncclComm_t handle) noexcept
{
    const std::shared_ptr<Communicator> communicator = communicatorIfAny(handle);
    if (communicator == nullptr)
        return {};
    return {communicator->hash(), communicator->size(), communicator->rank(), communicator->device()};
}

void logCall(const Operation& operation)
{
    const Communicator& communicator = *operation.communicator;
    RINGSIDE_NCCL_INFO(kLogColl,
                       "%s: opCount %lx sendbuff %p recvbuff %p count %zu datatype %d op %d root %d comm %p "
                       "[nranks=%d] stream %p",
                       nameOf(operation.kind), communicator.launches(), sourceOf(operation),
                       targetOf(operation), operation.count, operation.type, operation.op, operation.peer,
                       static_cast<const void*>(operation.handle), communicator.size(),
                       static_cast<const void*>(operation.stream));
    if (debugLogs(LogLevel::Trace, kLogCall))
        debugLog(LogLevel::Trace, kLogCall, __func__, __LINE__, "nccl%s(%lx,%lx,%zu,%d,%d,%d,%p,%p)",
                 nameOf(operation.kind), reinterpret_cast<std::uintptr_t>(sourceOf(operation)),
                 reinterpret_cast<std::uintptr_t>(targetOf(operation)), operation.count, operation.type,
                 operation.op, operation.peer, static_cast<const void*>(operation.handle),
                 static_cast<const void*>(operation.stream));
}

void enterProfiler(Operation& operation, int depth)
{
    const auto& profile = operation.communicator->profile();
    if (profile != nullptr && isTask(operation))
        operation.ticket =
            profiler::enterCall(*profile, callOf(operation, isCaptured(operation.stream)), depth);
}

std::shared_ptr<profiler::LaunchEvents> profileLaunch(const std::vector<Operation>& operations,
                                                      cudaStream_t stream, profiler::Launching launching)
{
    const auto& profile = operations.front().communicator->profile();
    if (profile == nullptr)
        return nullptr;
    std::vector<profiler::Task> tasks;
    for (const Operation& operation : operations)
        if (isTask(operation))
            tasks.push_back({.call = callOf(operation, launching != profiler::Launching::Directly),
                             .ticket = operation.ticket});
    return profiler::LaunchEvents::begin(profile, tasks, stream, launching);
}

} // namespace ringside::nccl
