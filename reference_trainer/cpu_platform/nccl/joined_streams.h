// SPDX-License-Identifier: Apache-2.0
// NCCL's rule for a group that names several streams for one communicator: one kernel, on the stream that was
// named last; it waits for all of them, and all of them wait for it.
#pragma once
#include "operation.h"

#include <vector>

namespace ringside::nccl {

class JoinedStreams final {
public:
    /// Those of one communicator's operations, of which there is at least one.
    explicit JoinedStreams(const std::vector<Operation>& operations);

    [[nodiscard]] cudaStream_t launching() const { return m_streams.back(); }
    /// Before and after the launch. Failure(ncclUnhandledCudaError), as when some are captured and some not.
    void join() const;
    void fork() const;

private:
    void forEachOther(void (*act)(cudaStream_t other, cudaStream_t launching)) const;

    const int m_device;
    std::vector<cudaStream_t> m_streams; ///< in the order in which they were first named
};

} // namespace ringside::nccl
