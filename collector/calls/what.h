// SPDX-License-Identifier: Apache-2.0
// What a row of the api tables records of a call: plain values taken from its arguments. wrapper.h
// records them.
#pragma once
#include "abi/cuda.h"
#include "abi/nccl.h"

#include <ringside/trace/ring.h>

namespace ringside::collector {

// CUDA's special stream handles, beside the null stream's.
inline constexpr std::uint64_t kLegacyStream = 1;
inline constexpr std::uint64_t kStreamPerThread = 2;

struct Plain {}; ///< that it was called, when, and its result

struct OnStream { ///< what is put into a stream, or waits for it
    cudaStream_t stream;
};
struct Sized { ///< a copy or a set
    std::size_t bytes = 0;
    cudaStream_t stream = nullptr;
    std::uint32_t copyKind = trace::kNoCopyKind;
};
/// In bytes if no array takes part. With arrays the width counts elements, whose size is not in the
/// call: then 0.
inline std::size_t bytesOf(const cudaExtent& extent)
{
    return extent.width * extent.height * extent.depth;
}
template <class Parameters>
std::size_t bytesOf(const Parameters* copy)
{
    const bool plain = copy != nullptr && copy->srcArray == nullptr && copy->dstArray == nullptr;
    return plain ? bytesOf(copy->extent) : 0;
}
inline std::uint32_t kindOf(const cudaMemcpy3DParms* copy)
{
    return copy != nullptr ? copy->kind : trace::kNoCopyKind;
}
struct Allocation {
    std::size_t bytes;
};
struct EndOfStream {
    cudaStream_t stream;
};

struct DeviceReset {};

struct CaptureBegin {};
struct CaptureEnd {
    cudaStream_t stream;
    const cudaGraph_t* graph; ///< where the new graph will be
};
struct GraphCopy {
    cudaGraph_t graph;
    const cudaGraph_t* copy;
};
struct Instantiation { ///< or an update: from now on, the executable graph runs what `graph` contains
    cudaGraph_t graph;
    const cudaGraphExec_t* executable;
};
struct EndOfGraph {
    cudaGraph_t graph;
};
struct EndOfExecutable {
    cudaGraphExec_t executable;
};
struct GraphLaunch {
    cudaGraphExec_t executable;
    cudaStream_t stream;
};

struct Collective { ///< one data call
    std::size_t count = 0;
    ncclDataType_t datatype{};
    int reduction = 0xFFFF;
    int peer = -1;
    ncclComm_t communicator = nullptr;
    cudaStream_t stream = nullptr;
    const ncclCollConfig_t* config = nullptr;
};
struct GroupStart {};
struct GroupEnd {};

struct NewCommunicator {
    const ncclComm_t* handle = nullptr;
    const ncclUniqueId* ids = nullptr;
    int idCount = 1;
    int size = 0;
    int rank = -1;
    const ncclConfig_t* config = nullptr;
};
struct NewCommunicators { ///< of one process, all at once
    const ncclComm_t* handles;
    int size;
    const int* devices; ///< null: 0 to size - 1
};
struct ChildCommunicator {
    ncclComm_t parent;
    const ncclComm_t* handle;
    const int* members; ///< identifies this child among its siblings: the color, or the ranks left out
    int memberCount;
    const ncclConfig_t* config;
};
struct GrownCommunicator {
    ncclComm_t parent; ///< null on a rank that joins
    const ncclComm_t* handle;
    const ncclConfig_t* config;
};
struct EndOfCommunicator {
    ncclComm_t communicator;
};

} // namespace ringside::collector
