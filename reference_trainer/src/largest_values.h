// SPDX-License-Identifier: Apache-2.0
// Takes the values of largest magnitude out of an array in device memory.
#pragma once
#include "gpu.h"
#include "kernels/topk.h"

namespace ringside::trainer {

class LargestValues final {
public:
    LargestValues();

    /// On the stream: exactly `wanted` of `count` values, 1 to all of them, go to `entries` with their places
    /// and become 0. Which of equal ones, and their order, depends on nothing but the values. NaNs count as
    /// larger than all numbers. Use it on one stream only: there is one workspace.
    void take(cudaStream_t stream, float* values, unsigned count, unsigned wanted, TopkEntry* entries);

private:
    DeviceArray<TopkSearch> m_search;
    DeviceArray<TopkLane> m_lanes;
    DeviceArray<unsigned> m_histograms; ///< a lane each
    DeviceArray<unsigned> m_sums;
};

} // namespace ringside::trainer
