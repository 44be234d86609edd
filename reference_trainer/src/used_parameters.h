// SPDX-License-Identifier: Apache-2.0
// DDP's map of used parameters: one integer for each parameter tensor, summed over the ranks, so that each
// rank knows which gradients no rank has. The search for unused parameters in the graph is omitted: it costs
// only host time, and all parameters here are used.
#pragma once
#include "gpu.h"
#include "options.h"

namespace ringside::trainer {

class UsedParameters final {
public:
    /// `tensors` is the number of parameter tensors.
    UsedParameters(const Options& options, std::size_t tensors);

    /// Returns whether the map of this backward pass, counted from 0, is reduced: of each pass with
    /// --find-unused-parameters, of the first pass only with --static-graph.
    [[nodiscard]] bool wanted(std::uint64_t pass) const;
    /// Returns whether this pass's gradients wait for the end of backward: DDP learns the static graph in the
    /// first pass.
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
