// SPDX-License-Identifier: Apache-2.0
// Events of a thread's calls: its group (GroupApi) and each call in it (CollApi, P2pApi). As in NCCL 2.28,
// the group's event begins with its first call and uses one activation mask for all of its calls.
#pragma once
#include "profiler/communicator_profile.h"

#include <cuda_runtime_api.h>

namespace ringside::nccl::profiler {

/// One collective, send or receive, as reported to the profiler.
struct Call {
    const char* function = nullptr; ///< "AllReduce", ...
    bool pointToPoint = false;
    std::size_t number = 0; ///< for collectives: the value of ncclFunc_t, below kNumberedFunctions
    const void* source = nullptr;
    void* target = nullptr; ///< for sends and receives: the buffer
    std::size_t count = 0;
    ncclDataType_t type = ncclFloat32;
    std::size_t element = 4; ///< bytes of one value
    int peer = 0;            ///< the root, or the peer
    cudaStream_t stream = nullptr;
    bool captured = false; ///< captured into a graph
    bool tree = false;     ///< uses a tree instead of a ring
};

/// Data of a call for the events of its launch.
struct Ticket {
    std::uint32_t mask = 0;
    void* group = nullptr;
    void* api = nullptr;
};

/// Adds a call to the calling thread's group. `depth`: nested groups around it, including the call's own.
[[nodiscard]] Ticket enterCall(const CommunicatorProfile& profile, const Call& call, int depth);
/// The end of the calling thread's outermost group, during its launches. It does nothing if no call began an
/// event.
class GroupEnd final {
public:
    GroupEnd();
    ~GroupEnd();
    GroupEnd(const GroupEnd&) = delete;
    GroupEnd& operator=(const GroupEnd&) = delete;
};

/// Returns NCCL 2.28's names of types in events; there is none for ncclUint8.
[[nodiscard]] const char* typeName(ncclDataType_t type);

} // namespace ringside::nccl::profiler
