// SPDX-License-Identifier: Apache-2.0
// Launches operations. A kernel begins when its stream reaches it and waits inside for late ranks, as on a
// GPU. The modelled time counts from the arrival of all ranks. Data is moved even if the model skips
// arithmetic.
#include "launch.h"

#include "collectives.h"
#include "communicator.h"
#include "errors.h"
#include "joined_streams.h"
#include "link_model.h"
#include "observation.h"
#include "platform.h"
#include "signal_guard.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>

namespace ringside::nccl {
namespace {

struct Launch {
    std::shared_ptr<Communicator> communicator;
    std::vector<Operation> operations;
    cudaStream_t stream;
    bool begun = false; ///< counted by the communicator; operations stored in a graph are not
    std::shared_ptr<profiler::LaunchEvents> events = {}; ///< null: the plugin wants no events

    void begin()
    {
        communicator->beginLaunch(operations);
        begun = true;
    }
};

void moveData(Mesh& mesh, const Operation& operation)
{
    switch (operation.kind) {
    case Kind::AllReduce:
        return operation.algorithm == Algorithm::Tree ? treeAllReduce(mesh, operation)
                                                      : allReduce(mesh, operation);
    case Kind::Broadcast:
        return broadcast(mesh, operation);
    case Kind::Reduce:
        return reduce(mesh, operation);
    case Kind::AllGather:
        return allGather(mesh, operation);
    case Kind::ReduceScatter:
        return reduceScatter(mesh, operation);
    default: // point to point: all operations of a launch together
        break;
    }
}

/// Hash of what all ranks must agree on: calls that differ would overrun each other's memory. The real
/// library does not check this; such a program hangs there, or worse.
std::uint64_t agreement(const std::vector<Operation>& operations)
{
    std::uint64_t hash = 0;
    for (const Operation& operation : operations)
        if (!operation.pointToPoint())
            for (const std::uint64_t part :
                 {static_cast<std::uint64_t>(operation.kind), std::uint64_t(operation.bytes()),
                  static_cast<std::uint64_t>(operation.peer),
                  static_cast<std::uint64_t>(operation.algorithm)})
                hash = (hash ^ part) * 1099511628211U; // FNV-1a over words
    return hash;
}

void execute(const Launch& work, const profiler::KernelEvents& observed)
{
    std::vector<const Operation*> transfers;
    const Operation* firstCollective = nullptr;
    for (const Operation& operation : work.operations) {
        if (operation.pointToPoint())
            transfers.push_back(&operation);
        else if (firstCollective == nullptr)
            firstCollective = &operation;
    }
    Mesh& mesh = *work.communicator->mesh();
    PointToPoint pointToPoint(mesh, transfers);
    if (firstCollective != nullptr)
        mesh.barrier(firstCollective->slot, agreement(work.operations));
    pointToPoint.meet();
    const auto allArrived = std::chrono::steady_clock::now();
    observed.meet();
    for (const Operation& operation : work.operations)
        moveData(mesh, operation);
    pointToPoint.transfer();
    work.communicator->sleepUntil(allArrived + modelledTime(work.operations));
}

void executeAlone(const Launch& work)
{
    std::vector<const Operation*> transfers;
    for (const Operation& operation : work.operations) {
        if (operation.pointToPoint())
            transfers.push_back(&operation);
        else
            copyLocally(operation);
    }
    copyOwnTransfers(transfers);
}

/// The body of the kernel, on the stream's thread. It never throws: an error becomes the asynchronous error.
/// `refused`: no stream accepted the work (the device model never skips communication).
void run(void* argument, bool refused)
{
    const std::unique_ptr<Launch> work(static_cast<Launch*>(argument));
    Communicator& communicator = *work->communicator;
    if (refused)
        return work->begun ? communicator.cancelLaunch() : void();
    const PipeSignalBlocked guard;
    try {
        if (communicator.startWork()) {
            const profiler::KernelEvents observed(work->events.get());
            communicator.mesh() != nullptr ? execute(*work, observed) : executeAlone(*work);
        }
    } catch (const Failure& failure) {
        communicator.fail(failure.code(), failure.what());
    } catch (const std::exception& error) {
        communicator.fail(ncclRemoteError, "rank " + std::to_string(communicator.rank()) +
                                               ": a peer failed during a collective: " + error.what());
    }
    communicator.endLaunch();
}

/// Every launch of a graph is a collective of its own, in the order in which the ranks launch their graphs.
void* launchAgain(const void* argument)
{
    auto again = std::make_unique<Launch>(*static_cast<const Launch*>(argument));
    again->begin();
    again->events = profileLaunch(again->operations, again->stream, profiler::Launching::ByGraph);
    if (again->events != nullptr)
        again->events->launched(true);
    return again.release();
}

/// Returns the operation that gives a fused kernel its name: the first collective, else any.
const Operation& namesake(const std::vector<Operation>& operations)
{
    const auto collective =
        std::find_if(operations.begin(), operations.end(),
                     [](const Operation& operation) { return !operation.pointToPoint(); });
    return collective == operations.end() ? operations.front() : *collective;
}

/// One channel; threads, registers and shared memory as those of a kernel of NCCL 2.27.
constexpr platform::WorkShape kShape{
    .block = {640, 1, 1}, .sharedBytes = 82240, .registersPerThread = 96, .staticSharedBytes = 21568};

void enqueue(std::vector<Operation> operations)
{
    const std::shared_ptr<Communicator> communicator = operations.front().communicator;
    const JoinedStreams streams(operations);
    const cudaStream_t stream = streams.launching();
    streams.join();
    auto work = std::make_unique<Launch>(Launch{communicator, std::move(operations), stream});
    const bool captured = isCaptured(stream);
    if (!captured)
        work->begin();
    const auto events = profileLaunch(
        work->operations, stream, captured ? profiler::Launching::IntoGraph : profiler::Launching::Directly);
    if (!captured)
        work->events = events;
    platform::Work item;
    item.kind = platform::WorkKind::Kernel;
    item.name = kernelName(namesake(work->operations));
    item.shape = kShape;
    item.run = &run;
    item.clone = &launchAgain;
    item.device = communicator->device();
    item.arg = work.release(); // run() frees it in any case
    if (events != nullptr)
        events->launching();
    const int error = ringside_platform_enqueue(stream, &item);
    if (events != nullptr)
        events->launched(error == 0);
    if (error != 0)
        throw Failure(ncclUnhandledCudaError,
                      "the runtime did not take a collective's kernel: CUDA error " + std::to_string(error));
    streams.fork();
}

/// The real library checks this before it launches the kernel.
void checkOwnTransfers(const std::vector<Operation>& operations)
{
    std::map<const Communicator*, int> sendsAhead;
    for (const Operation& operation : operations)
        if (operation.pointToPoint() && operation.peer == operation.communicator->rank())
            sendsAhead[operation.communicator.get()] += operation.kind == Kind::Send ? 1 : -1;
    for (const auto& [communicator, ahead] : sendsAhead)
        if (ahead != 0)
            throw Failure(ncclInvalidUsage, ahead > 0
                                                ? "a send to the own rank lacks its receive in the group"
                                                : "a receive from the own rank lacks its send in the group");
}

} // namespace

void launch(std::vector<Operation> operations)
{
    checkOwnTransfers(operations);
    while (!operations.empty()) {
        const auto sameKernel = [communicator = operations.front().communicator](const Operation& operation) {
            return operation.communicator == communicator;
        };
        const auto rest = std::stable_partition(operations.begin(), operations.end(), sameKernel);
        std::vector<Operation> fused(std::make_move_iterator(operations.begin()),
                                     std::make_move_iterator(rest));
        operations.erase(operations.begin(), rest);
        enqueue(std::move(fused));
    }
}

} // namespace ringside::nccl
