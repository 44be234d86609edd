// SPDX-License-Identifier: Apache-2.0
// How large a step is. With --scale-lr the linear scaling rule (Goyal et al. 2017, "Accurate, Large Minibatch
// SGD"): the given rate is for a batch of 256; for k times that it grows from the given one to k times that
// one over the first 5 epochs. For smaller batches there is nothing to warm up to: the rate is smaller at
// once.
#pragma once
#include "options.h"

#include <cstdint>

namespace ringside::trainer {

class LearningRate final {
public:
    explicit LearningRate(const Options& options);

    /// Of a step, counted from 0.
    [[nodiscard]] float at(std::uint64_t step) const;

private:
    float m_first;
    float m_last;
    double m_warmupSteps = 0; ///< 0: none
};

} // namespace ringside::trainer
