// SPDX-License-Identifier: Apache-2.0
// The learning rate of each step. --scale-lr applies the linear scaling rule (Goyal et al. 2017, "Accurate,
// Large Minibatch SGD"): the given rate is for a batch of 256. For a batch k times as large, the rate grows
// from the given one to k times that over the first 5 epochs. For smaller batches it is smaller at once,
// without a warm-up.
#pragma once
#include "options.h"

#include <cstdint>

namespace ringside::trainer {

class LearningRate final {
public:
    explicit LearningRate(const Options& options);

    /// Returns the rate of a step, counted from 0.
    [[nodiscard]] float at(std::uint64_t step) const;

private:
    float m_first;
    float m_last;
    double m_warmupSteps = 0; ///< 0: none
};

} // namespace ringside::trainer
