// SPDX-License-Identifier: Apache-2.0
// The events of a thread's calls: its group (GroupApi) and each call in it (CollApi, P2pApi). As in NCCL 2.28
// the group's event begins with its first call and takes the activation mask for all of its calls.
#pragma once
#include "profiler/communicator_profile.h"

#include <cuda_runtime_api.h>

namespace ringside::nccl::profiler {

/// One collective, send or receive as the profiler tells it.
struct Call {
    const char* function = nullptr; ///< "AllReduce", ...
    bool pointToPoint = false;
    std::size_t number = 0; ///< for collectives: the value of ncclFunc_t, below kNumberedFunctions
    const void* source = nullptr;
    void* target = nullptr; ///< for sends and receives: the buffer
    std::size_t count = 0;
    ncclDataType_t type = ncclFloat32;
    std::size_t element = 4; ///< bytes of one of its values
    int peer = 0;            ///< root, or the other side
    cudaStream_t stream = nullptr;
    bool captured = false; ///< recorded into a graph
    bool tree = false;     ///< carried by a tree instead of a ring
};

/// What a call leaves for the events of its launch.
struct Ticket {
    std::uint32_t mask = 0;
    void* group = nullptr;
    void* api = nullptr;
};

/// A call becomes part of the calling thread's group. `depth`: nested groups around it, with the one that
/// every call has of its own.
[[nodiscard]] Ticket enterCall(const CommunicatorProfile& profile, const Call& call, int depth);
/// The end of the calling thread's outermost group, while its launches are made. Nothing where no call began
/// an event.
class GroupEnd final {
public:
    GroupEnd();
    ~GroupEnd();
    GroupEnd(const GroupEnd&) = delete;
    GroupEnd& operator=(const GroupEnd&) = delete;
};

/// NCCL 2.28's names of types in events; it has none for ncclUint8.
[[nodiscard]] const char* typeName(ncclDataType_t type);

} // namespace ringside::nccl::profiler
