// SPDX-License-Identifier: Apache-2.0
// Removes the values of largest magnitude from an array in device memory.
#pragma once
#include "gpu.h"
#include "kernels/topk.h"

namespace ringside::trainer {

class LargestValues final {
public:
    LargestValues();

    /// Queues on the stream: exactly `wanted` of `count` values, at least 1, are moved to `entries` with
    /// their indices and become 0. The choice among equal values and the order depend only on the values.
    /// NaNs count as larger than all numbers. Use it on one stream only, because there is one workspace.
    void extract(cudaStream_t stream, float* values, unsigned count, unsigned wanted, TopkEntry* entries);

private:
    DeviceArray<TopkSearch> m_search;
    DeviceArray<TopkLane> m_lanes;
    DeviceArray<unsigned> m_histograms; ///< one for each lane
    DeviceArray<unsigned> m_sums;
};

} // namespace ringside::trainer
