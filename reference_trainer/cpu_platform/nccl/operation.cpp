// SPDX-License-Identifier: Apache-2.0
#include "operation.h"

#include "communicator.h"
#include "errors.h"

#include <cuda_runtime_api.h>

#include <array>
#include <mutex>
#include <set>
#include <string>

namespace ringside::nccl {
namespace {

bool readsSource(const Operation& operation)
{
    const bool root = operation.peer == operation.communicator->rank();
    const bool onlyRoot = operation.kind == Kind::Broadcast || operation.kind == Kind::Scatter;
    return operation.kind != Kind::Recv && (!onlyRoot || root);
}

bool writesTarget(const Operation& operation)
{
    const bool root = operation.peer == operation.communicator->rank();
    const bool onlyRoot = operation.kind == Kind::Reduce || operation.kind == Kind::Gather;
    return operation.kind != Kind::Send && (!onlyRoot || root);
}

/// The real library has special kernels for sums only; the other operators use the same ones. Signed integers
/// share the unsigned kernels.
std::string typeName(ncclDataType_t type)
{
    constexpr std::array<const char*, 12> kNames = {"u8",  "u8",  "u32", "u32",  "u64",    "u64",
                                                    "f16", "f32", "f64", "bf16", "f8e4m3", "f8e5m2"};
    return kNames[static_cast<std::size_t>(type)];
}

std::string shortName(const Operation& operation)
{
    switch (operation.kind) {
    case Kind::AllReduce:
        return "AllReduce_Sum_" + typeName(operation.type) +
               (operation.algorithm == Algorithm::Tree ? "_TREE_LL" : "_RING_LL");
    case Kind::Reduce:
        return "Reduce_Sum_" + typeName(operation.type) + "_RING_LL";
    case Kind::ReduceScatter:
        return "ReduceScatter_Sum_" + typeName(operation.type) + "_RING_LL";
    case Kind::Broadcast:
        return "Broadcast_RING_LL";
    case Kind::AllGather:
        return "AllGather_RING_LL";
    default: // point to point, or composed of it
        return "SendRecv";
    }
}

} // namespace

void check(Operation& operation)
{
    operation.element = elementSize(operation.type);
    const int ranks = operation.communicator->size();
    require(operation.peer >= 0 && operation.peer < ranks, "root or peer is not a rank of the communicator");
    require(operation.count == 0 || operation.source != nullptr || !readsSource(operation),
            "sendbuff is null");
    require(operation.count == 0 || operation.target != nullptr || !writesTarget(operation),
            "recvbuff is null");
    if (operation.kind <= Kind::ReduceScatter && ranks > 1)
        operation.algorithm = operation.communicator->algorithms().of(operation.kind);
    if (!operation.reduces())
        return;
    require(operation.op >= 0, "unknown reduction operator");
    operation.reduction = findReduction(operation.type, operation.op);
    if (operation.op >= ncclNumOps)
        operation.factor = operation.communicator->operators().find(operation.op, operation.type);
    else if (operation.op == ncclAvg)
        operation.factor.value = averageFactor(operation.type, ranks);
}

bool isCaptured(cudaStream_t stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
}

const char* kernelName(const Operation& operation)
{
    static std::mutex mutex;
    // Never destroyed: activity records point into it until the process ends.
    static auto* const names = new std::set<std::string>;
    const std::lock_guard lock(mutex);
    // The name of ncclDevKernel_...(ncclDevKernelArgsStorage<4096ul>) as the compiler writes it and CUPTI
    // reports it.
    const std::string function = "ncclDevKernel_" + shortName(operation);
    const auto [name, added] = names->insert("_Z" + std::to_string(function.size()) + function +
                                             "24ncclDevKernelArgsStorageILm4096EE");
    return name->c_str();
}

} // namespace ringside::nccl
