// SPDX-License-Identifier: Apache-2.0
// Kernel work of a wanted length, for faults that compute more than training needs.
#pragma once
#include "gpu.h"
#include "hooks.h"

#include <memory>

namespace ringside::trainer {

class ExtraWork final {
public:
    /// Work that is measured on the device before training begins, and can be run from then on.
    [[nodiscard]] static std::shared_ptr<ExtraWork> measuredBeforeTraining(Hooks& hooks);

    /// Queues work of about `ms`; nothing where that is 0.
    void run(cudaStream_t stream, double ms) const;

private:
    /// Iterations of the busy kernel, and what they and twice as many took.
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
