// SPDX-License-Identifier: Apache-2.0
// NCCL's rule for a group that uses several streams for one communicator: one kernel runs on the last named
// stream. It waits for all streams, and all of them wait for it.
#pragma once
#include "operation.h"

#include <vector>

namespace ringside::nccl {

class JoinedStreams final {
public:
    /// The streams of one communicator's operations, of which there is at least one.
    explicit JoinedStreams(const std::vector<Operation>& operations);

    [[nodiscard]] cudaStream_t launching() const { return m_streams.back(); }
    /// Called before and after the launch. Throws Failure(ncclUnhandledCudaError), for example if only some
    /// of them are captured.
    void join() const;
    void fork() const;

private:
    void forEachOther(void (*act)(cudaStream_t other, cudaStream_t launching)) const;

    const int m_device;
    std::vector<cudaStream_t> m_streams; ///< in the order in which they were first named
};

} // namespace ringside::nccl
