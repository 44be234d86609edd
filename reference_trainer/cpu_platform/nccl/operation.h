// SPDX-License-Identifier: Apache-2.0
// A checked call for data movement, to be launched.
#pragma once
#include "algorithm.h"
#include "operators.h"
#include "profiler/api_events.h"
#include "reduction.h"

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ringside::nccl {

class Communicator;

enum class Kind : std::uint8_t {
    AllReduce,
    Broadcast,
    Reduce,
    AllGather,
    ReduceScatter,
    Send,
    Recv,
    AlltoAll, ///< this and the following become sends and receives when they are submitted (composite.h)
    Gather,
    Scatter
};

struct Operation {
    Kind kind = Kind::AllReduce;
    const void* source = nullptr;
    void* target = nullptr;
    std::size_t count = 0; ///< as in the call: per rank if the ranks' parts differ
    ncclDataType_t type = ncclFloat32;
    ncclRedOp_t op = ncclSum;
    int peer = 0; ///< the root, or the peer of Send and Recv
    std::shared_ptr<Communicator> communicator = {};
    cudaStream_t stream = nullptr;
    ncclComm_t handle = nullptr; ///< the program's handle of the communicator

    Reduction reduction = {};              ///< set by check()
    Factor factor = {};                    ///< factor of inputs if the reduction has one, set by check()
    std::size_t element = 0;               ///< bytes of one element, set by check()
    Algorithm algorithm = Algorithm::Ring; ///< of a collective, set by check()
    std::uint64_t slot = 0; ///< pairs the messages of this operation across ranks, set at launch
    profiler::Ticket ticket = {};

    [[nodiscard]] std::size_t bytes() const { return count * element; }
    [[nodiscard]] bool reduces() const
    {
        return kind == Kind::AllReduce || kind == Kind::Reduce || kind == Kind::ReduceScatter;
    }
    /// Prepares inputs for combining.
    void prepare(void* inputs, std::size_t elements) const
    {
        if (reduction.prepare != nullptr)
            reduction.prepare(inputs, elements, factor.data());
    }
    /// Turns combined values into the result.
    void finish(void* values, std::size_t elements, int ranks) const
    {
        if (reduction.finish != nullptr)
            reduction.finish(values, elements, ranks);
    }
    [[nodiscard]] bool pointToPoint() const { return kind == Kind::Send || kind == Kind::Recv; }
};

/// Checks the arguments and finds the arithmetic. Throws Failure, also for the communicator's state.
void check(Operation& operation);
/// Returns whether work queued on the stream goes into a graph.
[[nodiscard]] bool isCaptured(cudaStream_t stream);
/// Returns the device kernel that the real library (2.28) would launch. The text lives as long as the
/// process.
[[nodiscard]] const char* kernelName(const Operation& operation);

} // namespace ringside::nccl
