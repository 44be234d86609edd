// SPDX-License-Identifier: Apache-2.0
// Kernel work of a given length, for faults that compute more than training needs.
#pragma once
#include "busy_length.h"
#include "gpu.h"
#include "hooks.h"

#include <memory>

namespace ringside::trainer {

class ExtraWork final {
public:
    /// Returns work that is calibrated on the device before training begins and can run from then on.
    [[nodiscard]] static std::shared_ptr<ExtraWork> measuredBeforeTraining(Hooks& hooks);

    /// Queues work of about `ms`; queues nothing if that is 0.
    void run(cudaStream_t stream, double ms) const;

private:
    void measure(cudaStream_t stream);
    [[nodiscard]] double elapsedMs(cudaStream_t stream, unsigned iterations) const;

    DeviceArray<float> m_sink; ///< empty until the device is chosen
    BusyLength m_length;
};

} // namespace ringside::trainer
