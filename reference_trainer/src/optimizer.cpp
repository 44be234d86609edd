// SPDX-License-Identifier: Apache-2.0
#include "optimizer.h"

#include "kernels/kernels.h"
#include "learning_rate.h"

#include <cmath>

namespace ringside::trainer {
namespace {

class Sgd final : public Optimizer {
public:
    Sgd(LearningRate lr, float momentum, std::size_t count)
        : m_lr(lr), m_momentum(momentum), m_velocity(count)
    {}

    void step(cudaStream_t stream, Arrays arrays, float scale) override
    {
        RS_CHECK(launch_sgd(stream, static_cast<unsigned>(m_velocity.size()), arrays.parameters,
                            arrays.gradients, m_velocity.data(), m_lr.at(m_steps++), m_momentum, scale));
    }

private:
    LearningRate m_lr;
    std::uint64_t m_steps = 0;
    float m_momentum;
    DeviceArray<float> m_velocity;
};

class Adam final : public Optimizer {
public:
    Adam(float lr, std::size_t count) : m_lr(lr), m_mean(count), m_square(count) {}

    void step(cudaStream_t stream, Arrays arrays, float scale) override
    {
        // In double, because 1 - 0.999 has three digits left in float.
        constexpr double kBeta1 = 0.9;
        constexpr double kBeta2 = 0.999;
        ++m_steps;
        const AdamStep step{.lr = m_lr,
                            .beta1 = static_cast<float>(kBeta1),
                            .beta2 = static_cast<float>(kBeta2),
                            .epsilon = 1e-8F,
                            .meanCorrection = static_cast<float>(1 / (1 - std::pow(kBeta1, m_steps))),
                            .squareCorrection = static_cast<float>(1 / (1 - std::pow(kBeta2, m_steps))),
                            .scale = scale};
        RS_CHECK(launch_adam(stream, static_cast<unsigned>(m_mean.size()), arrays.parameters,
                             arrays.gradients, m_mean.data(), m_square.data(), step));
    }

private:
    float m_lr;
    double m_steps = 0;
    DeviceArray<float> m_mean; ///< running means of the gradients and of their squares
    DeviceArray<float> m_square;
};

} // namespace

std::unique_ptr<Optimizer> makeOptimizer(const Options& options, std::size_t count)
{
    const MemoryScope state(MemoryUse::OptimizerState);
    if (options.optimizer == "adam")
        return std::make_unique<Adam>(learningRate(options), count);
    return std::make_unique<Sgd>(LearningRate(options), options.momentum, count);
}

} // namespace ringside::trainer
