// SPDX-License-Identifier: Apache-2.0
// DDP's map of used parameters: one integer for each parameter tensor, summed over the ranks, so that each
// knows which gradients no rank has. The walk over the graph that finds them is left out: it costs the host
// only, and all our parameters are used.
#pragma once
#include "gpu.h"
#include "options.h"

namespace ringside::trainer {

class UsedParameters final {
public:
    /// For so many tensors.
    UsedParameters(const Options& options, std::size_t tensors);

    /// Whether the map of this backward pass, counted from 0, is reduced: of each with
    /// --find-unused-parameters, of the first alone with --static-graph.
    [[nodiscard]] bool wanted(std::uint64_t pass) const;
    /// Whether this pass's gradients wait for the end of backward: in the first one DDP learns the static
    /// graph.
    [[nodiscard]] bool delays(std::uint64_t pass) const { return m_staticGraph && pass == 0; }
    /// Copies the map and sums it over the ranks, on the stream.
    void reduce(ncclComm_t communicator, cudaStream_t stream) const;

private:
    bool m_find;
    bool m_staticGraph;
    HostArray<int> m_used;
    DeviceArray<int> m_map;
};

} // namespace ringside::trainer
