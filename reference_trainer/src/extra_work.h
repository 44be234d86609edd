// SPDX-License-Identifier: Apache-2.0
// Kernel work of a given length, for faults that compute more than training needs.
#pragma once
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
    /// Iterations of the busy kernel, and the times of this number and of twice as many.
    struct Measured {
        unsigned iterations = 1;
        double ms = 0;
        double twiceMs = 0;
    };

    void measure(cudaStream_t stream);
    [[nodiscard]] double elapsedMs(cudaStream_t stream, unsigned iterations) const;

    DeviceArray<float> m_sink; ///< empty until the device is chosen
    Measured m_measured;
};

} // namespace ringside::trainer
