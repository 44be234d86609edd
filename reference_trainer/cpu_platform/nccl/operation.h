// SPDX-License-Identifier: Apache-2.0
// One call for data movement, checked, waiting to be launched.
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
    AlltoAll, ///< this and the following become sends and receives at submission (composite.h)
    Gather,
    Scatter
};

struct Operation {
    Kind kind = Kind::AllReduce;
    const void* source = nullptr;
    void* target = nullptr;
    std::size_t count = 0; ///< as in the call: per rank where the ranks' parts differ
    ncclDataType_t type = ncclFloat32;
    ncclRedOp_t op = ncclSum;
    int peer = 0; ///< root, or the other side of Send and Recv
    std::shared_ptr<Communicator> communicator = {};
    cudaStream_t stream = nullptr;
    ncclComm_t handle = nullptr; ///< what the program calls the communicator

    Reduction reduction = {};              ///< filled by check()
    Factor factor = {};                    ///< of inputs, where the reduction has one, filled by check()
    std::size_t element = 0;               ///< bytes of one element, filled by check()
    Algorithm algorithm = Algorithm::Ring; ///< of a collective, filled by check()
    std::uint64_t slot = 0; ///< pairs the messages of this operation across ranks, given at launch
    profiler::Ticket ticket = {};

    [[nodiscard]] std::size_t bytes() const { return count * element; }
    [[nodiscard]] bool reduces() const
    {
        return kind == Kind::AllReduce || kind == Kind::Reduce || kind == Kind::ReduceScatter;
    }
    /// Makes inputs ready to be combined.
    void prepare(void* inputs, std::size_t elements) const
    {
        if (reduction.prepare != nullptr)
            reduction.prepare(inputs, elements, factor.data());
    }
    /// Makes combined values the result.
    void finish(void* values, std::size_t elements, int ranks) const
    {
        if (reduction.finish != nullptr)
            reduction.finish(values, elements, ranks);
    }
    [[nodiscard]] bool pointToPoint() const { return kind == Kind::Send || kind == Kind::Recv; }
};

/// Checks the arguments and looks up the arithmetic. Throws Failure, as the communicator's state may do.
void check(Operation& operation);
/// Whether what is put on the stream goes into a graph.
[[nodiscard]] bool isCaptured(cudaStream_t stream);
/// The device kernel the real library (2.28) would launch for it. Lives as long as the process.
[[nodiscard]] const char* kernelName(const Operation& operation);

} // namespace ringside::nccl
