// SPDX-License-Identifier: Apache-2.0
// Optimizers: one kernel over the network's flat arrays computes the new parameters.
#pragma once
#include "gpu.h"
#include "options.h"

#include <memory>

namespace ringside::trainer {

class Optimizer {
public:
    /// Flat arrays of the same length.
    struct Arrays {
        float* parameters = nullptr;
        const float* gradients = nullptr; ///< summed over the ranks
    };

    Optimizer() = default;
    Optimizer(const Optimizer&) = delete;
    Optimizer& operator=(const Optimizer&) = delete;
    virtual ~Optimizer() = default;

    /// Queues one update on the stream; `scale` turns the sums over ranks into means.
    virtual void step(cudaStream_t stream, Arrays arrays, float scale) = 0;
};

/// Returns the optimizer that the options name, for `count` parameters; its state begins at 0.
[[nodiscard]] std::unique_ptr<Optimizer> makeOptimizer(const Options& options, std::size_t count);

} // namespace ringside::trainer
