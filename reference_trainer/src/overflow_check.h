// SPDX-License-Identifier: Apache-2.0
// Checks whether all gradients are finite.
#pragma once
#include "gpu.h"

namespace ringside::trainer {

class OverflowCheck final {
public:
    /// Returns whether one of them is infinite or NaN. The host waits for the result, as in GradScaler.step()
    /// with an optimizer that is not fused.
    [[nodiscard]] bool overflowed(cudaStream_t stream, const DeviceArray<float>& gradients);

private:
    DeviceArray<unsigned> m_found{1};
    HostArray<unsigned> m_answer{1, true};
};

} // namespace ringside::trainer
